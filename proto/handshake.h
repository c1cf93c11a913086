/* handshake.h - how connections of a socket failed to come about, told by ZeroMQ's own monitor.
 *
 * The library retries each failed handshake again and again and tells nobody; what is wrong with
 * keys is seen here only. For the thread of the socket. */
#ifndef MUSTER_PROTO_HANDSHAKE_H
#define MUSTER_PROTO_HANDSHAKE_H

#include "common/error.h"

#define HANDSHAKE_ENDPOINT_SIZE 600

enum handshake_failure {
	HANDSHAKE_CLOSED,    /* the peer ended it without a word; a wrong key of the peer's */
	HANDSHAKE_REFUSED,   /* the peer knows who we are and does not let us in */
	HANDSHAKE_MECHANISM, /* one side with keys, the other without */
	HANDSHAKE_KEY,       /* the peer takes us for somebody with another key */
	HANDSHAKE_NO_ZEROMQ, /* what came is not the protocol */
	HANDSHAKE_TOO_SLOW,  /* not through in time */
};
struct handshake {
	enum handshake_failure failure;
	/* Connecting side: the numeric endpoint connected to. Listening side: whoever connected
	 * last, most likely the one it was; empty: unknown. */
	char peer[HANDSHAKE_ENDPOINT_SIZE];
};

struct handshake_watch;

/* Watches a libzmq socket from now on. */
struct handshake_watch *handshake_watch_new(void *socket, struct error *err);
/* Before the socket is closed. */
void handshake_watch_free(struct handshake_watch *watch);

/* The ZeroMQ socket that is readable when something happened. */
void *handshake_watch_socket(struct handshake_watch *watch);

/* Takes one event. 1: a handshake failed; 0: another one; -1: none waits. */
int handshake_watch_take(struct handshake_watch *watch, struct handshake *handshake);

#endif
