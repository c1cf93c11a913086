#include "proto/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <czmq.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/random.h"
#include "proto/codec.h"

/* One frame that the socket has not taken yet. */
struct waiting {
	struct waiting *next;
	struct bytes frame;
};

/* A peer that has frames waiting; peers without any are not kept. */
struct peer_queue {
	struct peer_queue *next;
	struct channel_peer peer;
	struct waiting *first, **last;
	size_t size;
	uint64_t took_ns; /* when it last took something, or the queue began */
};

struct channel {
	zsock_t *socket;
	void *handle; /* the libzmq socket in it */
	struct peer_queue *queues;
	uint16_t port;
	uint32_t connected; /* for the names of peers */
	uint64_t dropped;
	struct auth *auth; /* NULL: nobody is asked who he is */
	struct auth_refusal refusal;
	bool has_refused;
	struct handshake_watch *watch;
	struct handshake *failures;
	uint32_t failures_count;
};

#define FAILURES_KEPT 1024
/* Who knocks without end must not keep the frames waiting. */
#define AT_ONCE 256

/* While frames wait for a peer, they are tried again this often. */
#define RETRY_MS 10

static struct channel *channel_open(struct error *err)
{
	/* czmq would take SIGINT and SIGTERM for itself. */
	zsys_handler_set(NULL);
	zsys_init();
	zsys_handler_set(NULL);
	struct channel *channel = mem_new(1, sizeof(*channel));
	channel->socket = zsock_new(ZMQ_ROUTER);
	if (!channel->socket) {
		error_set(err, ERROR_SYSTEM, "cannot make a ZeroMQ socket: %s", strerror(errno));
		free(channel);
		return NULL;
	}
	channel->handle = zsock_resolve(channel->socket);
	zsock_set_linger(channel->socket, 0);
	zsock_set_ipv6(channel->socket, 1);
	zsock_set_router_mandatory(channel->socket, 1);
	zsock_set_router_handover(channel->socket, 1);
	zsock_set_sndhwm(channel->socket, CHANNEL_QUEUE_FRAMES);
	zsock_set_rcvhwm(channel->socket, CHANNEL_QUEUE_FRAMES);
	zsock_set_maxmsgsize(channel->socket, CODEC_FRAME_MAX);
	channel->watch = handshake_watch_new(channel->handle, err);
	if (channel->watch)
		return channel;
	channel_free(channel, 0);
	return NULL;
}

static int set_key(struct channel *channel, int option, const unsigned char key[KEY_SIZE],
		   struct error *err)
{
	if (zmq_setsockopt(channel->handle, option, key, KEY_SIZE) == 0)
		return 0;
	error_set(err, ERROR_SYSTEM,
		  "ZeroMQ does not take a key: %s; it has to be built with CURVE",
		  zmq_strerror(errno));
	return -1;
}

/* Takes the channel: on failure it is freed. */
static struct channel *listen_on(struct channel *channel, const char *endpoint, struct error *err)
{
	int patience = CHANNEL_HANDSHAKE_MS;

	zsock_set_backlog(channel->socket, CHANNEL_BACKLOG);
	zmq_setsockopt(channel->handle, ZMQ_HANDSHAKE_IVL, &patience, sizeof(patience));
	int port = zsock_bind(channel->socket, "%s", endpoint);
	if (port < 0) {
		error_set(
			err, ERROR_SYSTEM,
			"cannot listen on '%s': %s; wanted is tcp://ADDRESS:PORT with a free port",
			endpoint, errno ? zmq_strerror(errno) : "no such endpoint");
		channel_free(channel, 0);
		return NULL;
	}
	channel->port = (uint16_t)port;
	return channel;
}

struct channel *channel_bind(const char *endpoint, struct error *err)
{
	struct channel *channel = channel_open(err);

	return channel ? listen_on(channel, endpoint, err) : NULL;
}

/* With a domain that is enforced, nobody gets in past auth.c. */
static int guard(struct channel *channel, const struct key_pair *own,
		 const unsigned char (*allowed)[KEY_SIZE], uint32_t count, struct error *err)
{
	static const char domain[] = "muster";
	int on = 1;

	channel->auth = auth_new(allowed, count, err);
	if (!channel->auth)
		return -1;
	if (zmq_setsockopt(channel->handle, ZMQ_CURVE_SERVER, &on, sizeof(on)) < 0 ||
	    zmq_setsockopt(channel->handle, ZMQ_ZAP_DOMAIN, domain, strlen(domain)) < 0) {
		error_set(err, ERROR_SYSTEM,
			  "ZeroMQ takes no keys: %s; it has to be built with CURVE",
			  zmq_strerror(errno));
		return -1;
	}
	return set_key(channel, ZMQ_CURVE_SECRETKEY, own->secret, err);
}

struct channel *channel_bind_secure(const char *endpoint, const struct key_pair *own,
				    const unsigned char (*allowed)[KEY_SIZE], uint32_t count,
				    struct error *err)
{
	struct channel *channel = channel_open(err);

	if (!channel)
		return NULL;
	if (guard(channel, own, allowed, count, err) == 0)
		return listen_on(channel, endpoint, err);
	channel_free(channel, 0);
	return NULL;
}

uint16_t channel_port(const struct channel *channel)
{
	return channel->port;
}

struct channel *channel_new(struct error *err)
{
	struct channel *channel = channel_open(err);
	if (!channel)
		return NULL;
	/* Random for each run: of two controllers with one id the second would silently be unheard.
	 */
	char id[32];
	snprintf(id, sizeof(id), "muster-%016llx", (unsigned long long)random_seed());
	zmq_setsockopt(channel->handle, ZMQ_ROUTING_ID, id, strlen(id));
	return channel;
}

static int connect_to(struct channel *channel, const char *endpoint, struct channel_peer *peer,
		      struct error *err)
{
	int size = snprintf((char *)peer->id, sizeof(peer->id), "h%u", ++channel->connected);
	peer->size = (size_t)size;
	if (zmq_setsockopt(channel->handle, ZMQ_CONNECT_ROUTING_ID, peer->id, peer->size) < 0 ||
	    zmq_connect(channel->handle, endpoint) < 0) {
		error_set(err, ERROR_SETUP, "cannot connect to '%s': %s", endpoint,
			  zmq_strerror(errno));
		return -1;
	}
	return 0;
}

int channel_connect(struct channel *channel, const char *endpoint, struct channel_peer *peer,
		    struct error *err)
{
	/* The library's way to say: no mechanism at all, whatever the connect before had. */
	zmq_setsockopt(channel->handle, ZMQ_PLAIN_USERNAME, NULL, 0);
	return connect_to(channel, endpoint, peer, err);
}

int channel_connect_secure(struct channel *channel, const char *endpoint,
			   const struct key_pair *own, const unsigned char expected[KEY_SIZE],
			   struct channel_peer *peer, struct error *err)
{
	if (set_key(channel, ZMQ_CURVE_PUBLICKEY, own->public, err) < 0 ||
	    set_key(channel, ZMQ_CURVE_SECRETKEY, own->secret, err) < 0 ||
	    set_key(channel, ZMQ_CURVE_SERVERKEY, expected, err) < 0)
		return -1;
	return connect_to(channel, endpoint, peer, err);
}

static struct peer_queue **find_queue(struct channel *channel, const struct channel_peer *peer)
{
	struct peer_queue **at = &channel->queues;
	while (*at && !channel_peer_is(&(*at)->peer, peer))
		at = &(*at)->next;
	return at;
}

static void free_queue(struct peer_queue **at)
{
	struct peer_queue *queue = *at;
	if (!queue)
		return;
	*at = queue->next;
	while (queue->first) {
		struct waiting *waiting = queue->first;
		queue->first = waiting->next;
		free(waiting->frame.data);
		free(waiting);
	}
	free(queue);
}

void channel_forget(struct channel *channel, const struct channel_peer *peer)
{
	free_queue(find_queue(channel, peer));
}

unsigned channel_forget_idle(struct channel *channel, uint64_t since_ns)
{
	unsigned forgotten = 0;

	for (struct peer_queue **at = &channel->queues; *at;) {
		if ((*at)->took_ns >= since_ns) {
			at = &(*at)->next;
			continue;
		}
		free_queue(at);
		forgotten++;
	}
	return forgotten;
}

void channel_disconnect(struct channel *channel, const char *endpoint,
			const struct channel_peer *peer)
{
	zmq_disconnect(channel->handle, endpoint);
	channel_forget(channel, peer);
}

void channel_free(struct channel *channel, int linger_ms)
{
	if (!channel)
		return;
	while (channel->queues)
		free_queue(&channel->queues);
	handshake_watch_free(channel->watch);
	zsock_set_linger(channel->socket, linger_ms);
	zsock_destroy(&channel->socket);
	auth_free(channel->auth);
	free(channel->failures);
	free(channel);
}

/* 1: gone, 0: not now. A peer that is not connected (EHOSTUNREACH) may be so in a moment. */
static int try_send(struct channel *channel, const struct channel_peer *peer, const void *data,
		    size_t size)
{
	if (zmq_send(channel->handle, peer->id, peer->size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0)
		return 0;
	/* Once the first part is taken, so is the second. */
	zmq_send(channel->handle, data, size, ZMQ_DONTWAIT);
	return 1;
}

int channel_send(struct channel *channel, const struct channel_peer *peer,
		 const struct bytes *frame, struct error *err)
{
	struct peer_queue **at = find_queue(channel, peer);
	struct peer_queue *queue = *at;
	if (!queue) {
		if (try_send(channel, peer, frame->data, frame->size))
			return 0;
		queue = *at = mem_new(1, sizeof(*queue));
		queue->peer = *peer;
		queue->last = &queue->first;
		queue->took_ns = clock_now_ns();
	}
	if (queue->size + frame->size > CHANNEL_QUEUE_MAX) {
		error_set(err, ERROR_SETUP, "over %u MiB wait for a peer that takes nothing",
			  CHANNEL_QUEUE_MAX >> 20);
		return -1;
	}
	struct waiting *waiting = mem_new(1, sizeof(*waiting));
	waiting->frame.data = mem_new(frame->size, 1);
	memcpy(waiting->frame.data, frame->data, frame->size);
	waiting->frame.size = frame->size;
	*queue->last = waiting;
	queue->last = &waiting->next;
	queue->size += frame->size;
	return 0;
}

/* Sends what waits, in order for each peer. */
static void flush(struct channel *channel)
{
	struct peer_queue **at = &channel->queues;
	while (*at) {
		struct peer_queue *queue = *at;
		struct waiting *waiting;
		while ((waiting = queue->first) &&
		       try_send(channel, &queue->peer, waiting->frame.data, waiting->frame.size)) {
			queue->size -= waiting->frame.size;
			queue->took_ns = clock_now_ns();
			queue->first = waiting->next;
			free(waiting->frame.data);
			free(waiting);
		}
		if (queue->first)
			at = &queue->next;
		else
			free_queue(at);
	}
}

/* Reads all parts of what is there. 1: an id and one frame; 0: nothing, or not of that form. */
static int read_parts(struct channel *channel, struct channel_peer *from, struct bytes *frame)
{
	int parts = 0, more = 1;

	*frame = (struct bytes){0};
	while (more) {
		zmq_msg_t part;
		zmq_msg_init(&part);
		if (zmq_msg_recv(&part, channel->handle, ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(&part);
			break;
		}
		size_t size = zmq_msg_size(&part);
		more = zmq_msg_more(&part);
		if (++parts == 1 && size <= sizeof(from->id)) {
			memcpy(from->id, zmq_msg_data(&part), size);
			from->size = size;
		} else if (parts == 2 && !more) {
			frame->data = mem_new(size, 1);
			memcpy(frame->data, zmq_msg_data(&part), size);
			frame->size = size;
		} else if (parts == 1) {
			parts = 3;
		}
		zmq_msg_close(&part);
	}
	if (parts == 2 && frame->data)
		return 1;
	if (parts)
		channel->dropped++;
	free(frame->data);
	*frame = (struct bytes){0};
	return 0;
}

/* ---- who knocks ---- */

static void answer_door(struct channel *channel)
{
	struct auth_refusal refusal;
	int answer;

	for (int n = 0; n < AT_ONCE && (answer = auth_answer(channel->auth, &refusal)) >= 0; n++)
		if (answer == 1) {
			channel->refusal = refusal;
			channel->has_refused = true;
		}
}

static void take_failures(struct channel *channel)
{
	struct handshake failure;
	int taken;

	for (int n = 0; n < AT_ONCE; n++) {
		taken = handshake_watch_take(channel->watch, &failure);
		if (taken < 0)
			break;
		if (taken == 0 || channel->failures_count == FAILURES_KEPT)
			continue;
		channel->failures = mem_resize(channel->failures, channel->failures_count + 1,
					       sizeof(*channel->failures));
		channel->failures[channel->failures_count++] = failure;
	}
}

bool channel_failure(struct channel *channel, struct handshake *failure)
{
	if (channel->failures_count == 0)
		return false;
	*failure = channel->failures[0];
	memmove(channel->failures, channel->failures + 1,
		--channel->failures_count * sizeof(*channel->failures));
	return true;
}

bool channel_refusal(struct channel *channel, struct auth_refusal *refusal)
{
	bool has_refused = channel->has_refused;

	*refusal = channel->refusal;
	channel->has_refused = false;
	return has_refused;
}

/* Waits and looks at everything but frames. Answers whether one may be there; -1: broken. */
static int wait_for(struct channel *channel, long timeout_ms)
{
	zmq_pollitem_t items[] = {
		{.socket = channel->handle, .events = ZMQ_POLLIN},
		{.socket = handshake_watch_socket(channel->watch), .events = ZMQ_POLLIN},
		{.socket = channel->auth ? auth_socket(channel->auth) : NULL, .events = ZMQ_POLLIN},
	};

	if (zmq_poll(items, channel->auth ? 3 : 2, timeout_ms) < 0)
		return -1;
	if (items[1].revents)
		take_failures(channel);
	if (items[2].revents)
		answer_door(channel);
	return items[0].revents != 0;
}

int channel_receive(struct channel *channel, int timeout_ms, struct channel_peer *from,
		    struct bytes *frame)
{
	uint64_t end = clock_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;

	for (;;) {
		flush(channel);
		uint64_t now = clock_now_ns();
		long left = now < end ? (long)((end - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
		if (channel->queues && left > RETRY_MS)
			left = RETRY_MS;
		int ready = wait_for(channel, left);
		if (ready < 0)
			return -1;
		if (ready && read_parts(channel, from, frame))
			return 1;
		if (clock_now_ns() >= end)
			return 0;
	}
}

uint64_t channel_dropped(const struct channel *channel)
{
	return channel->dropped;
}
