/* reach.h - why is an agent silent: the three cases that can be told apart from here. */
#ifndef MUSTER_CONTROLLER_REACH_H
#define MUSTER_CONTROLLER_REACH_H

#include <stdint.h>
#include <sys/socket.h>

#include "common/error.h"

struct reach {
	struct sockaddr_storage address;
	socklen_t size;
	char endpoint[80]; /* "tcp://ADDRESS:PORT", the address as digits */
};

/* Looks the host of "tcp://HOST:PORT" up, once and before the run. Nothing looks a name up later:
 * ZeroMQ would do so at each reconnect, in the one thread that serves all hosts, and one host whose
 * name is gone with it would then silence the others for as long as the name service takes. */
int reach_resolve(struct reach *reach, const char *endpoint, struct error *err);

/* Who is silent, since when, and the answer. */
struct reach_look {
	const struct reach *reach;
	uint64_t silence_ns;
	char *why; /* the caller's to free */
};

/* Tries a plain TCP connection to each of them, all at once and for at most 300 ms, and answers a
 * sentence: the agent is gone (the port refuses), the network is lost (no answer, no route), or the
 * agent is there and does not answer (stuck or stopped, or, below 3 s, not yet). */
void reach_look(struct reach_look *looks, uint32_t count);

#endif
