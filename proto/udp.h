/* udp.h - a bound UDP socket that does not block, and a pipe by which another thread ends a wait.
 */
#ifndef MUSTER_PROTO_UDP_H
#define MUSTER_PROTO_UDP_H

#include <stdint.h>
#include <sys/socket.h>

#include "common/error.h"

struct udp {
	int fd;
	int wake[2]; /* read here, written by udp_wake */
};

/* 0, or -1 with nothing open. */
int udp_init(struct udp *udp, const struct sockaddr *address, socklen_t size, struct error *err);
void udp_release(struct udp *udp);

/* That it is bound to. */
uint16_t udp_port(const struct udp *udp);

/* Waits at most `timeout_ms`: what poll says of the socket (POLLIN, POLLERR); 0 when nothing came
 * or udp_wake was called. */
int udp_wait(struct udp *udp, int timeout_ms);
/* From any thread. A wake with nobody waiting is kept for the next wait. */
void udp_wake(struct udp *udp);

/* Takes the error that an ICMP message left; poll reports it until somebody does. */
void udp_clear_error(struct udp *udp);

#endif
