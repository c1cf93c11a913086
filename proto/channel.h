/* channel.h - one ZeroMQ ROUTER socket that carries frames to and from named peers.
 *
 * Only the thread that made it may touch it. Sending never blocks: what the socket does not take
 * waits in a queue for each peer of at most CHANNEL_QUEUE_MAX bytes; beyond that a send is refused.
 * ZeroMQ itself holds at most CHANNEL_QUEUE_FRAMES more each way, also for a peer that is not
 * connected yet; beyond that a peer that sends too much waits in its own kernel.
 * channel.c, auth.c and handshake.c are the only files that know czmq and libzmq. */
#ifndef MUSTER_PROTO_CHANNEL_H
#define MUSTER_PROTO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/record_msgpack.h"
#include "proto/auth.h"
#include "proto/handshake.h"
#include "proto/key.h"

struct channel;

#define CHANNEL_PEER_MAX     64
#define CHANNEL_QUEUE_MAX    (64u << 20)
#define CHANNEL_QUEUE_FRAMES 64
#define CHANNEL_BACKLOG      256   /* connections that wait to be taken */
#define CHANNEL_HANDSHAKE_MS 10000 /* who connects and is not through by then is cut off */

/* A peer's routing id: bytes that mean something to this socket only. */
struct channel_peer {
	unsigned char id[CHANNEL_PEER_MAX];
	size_t size;
};

/* The agent's side: listens on "tcp://ADDRESS:PORT"; port 0 or "*" takes a free one. */
struct channel *channel_bind(const char *endpoint, struct error *err);
/* The same with keys: who does not know `own`, or whose key is not among `allowed` (copied), does
 * not get through. One in a process. */
struct channel *channel_bind_secure(const char *endpoint, const struct key_pair *own,
				    const unsigned char (*allowed)[KEY_SIZE], uint32_t count,
				    struct error *err);
/* The port that it got. */
uint16_t channel_port(const struct channel *channel);

/* The controller's side: no connection yet, with a random routing id of its own. */
struct channel *channel_new(struct error *err);
/* Connects (in the background, again and again) to an agent and names it `peer`. */
int channel_connect(struct channel *channel, const char *endpoint, struct channel_peer *peer,
		    struct error *err);
/* The same with keys: only an agent that has the secret of `expected` is spoken to. */
int channel_connect_secure(struct channel *channel, const char *endpoint,
			   const struct key_pair *own, const unsigned char expected[KEY_SIZE],
			   struct channel_peer *peer, struct error *err);
/* Stops connecting and forgets what was queued for it. */
void channel_disconnect(struct channel *channel, const char *endpoint,
			const struct channel_peer *peer);

/* Forgets what is queued for a peer. */
void channel_forget(struct channel *channel, const struct channel_peer *peer);

/* Forgets what is queued for peers that have taken nothing since before `since_ns` (clock_now_ns):
 * who has gone for good leaves no sign. Answers how many peers these were. */
unsigned channel_forget_idle(struct channel *channel, uint64_t since_ns);

/* Closes. What was sent may leave for `linger_ms` more, for which the end of the program waits.
 * NULL is fine. */
void channel_free(struct channel *channel, int linger_ms);

/* Queues a frame. -1 when the peer's queue is full. */
int channel_send(struct channel *channel, const struct channel_peer *peer,
		 const struct bytes *frame, struct error *err);

/* Waits at most `timeout_ms` for a frame, sending what is queued meanwhile. 1: a frame came (its
 * bytes are the caller's to free); 0: none came; -1: the socket is broken or a signal came with
 * errno EINTR. Parts beyond two are a protocol error of the peer and dropped, counted. */
int channel_receive(struct channel *channel, int timeout_ms, struct channel_peer *from,
		    struct bytes *frame);

/* What channel_receive has noticed beside frames. The next handshake that failed (of the last 1,024
 * that nobody asked for); false: none. */
bool channel_failure(struct channel *channel, struct handshake *failure);
/* Whom channel_bind_secure's door refused last; false: nobody since. */
bool channel_refusal(struct channel *channel, struct auth_refusal *refusal);

/* Frames dropped because they had the wrong number of parts or were too large. */
uint64_t channel_dropped(const struct channel *channel);

static inline bool channel_peer_is(const struct channel_peer *a, const struct channel_peer *b)
{
	return a->size == b->size && __builtin_memcmp(a->id, b->id, a->size) == 0;
}

#endif
