/* clock_socket.h - a UDP socket that tells when datagrams truly came and left.
 *
 * clock_socket_linux.c asks the kernel for software stamps of both (SO_TIMESTAMPING) and brings
 * them onto clock_now_ns() by age; elsewhere, or where it is refused, clock_socket_user.c takes its
 * own. Every instant is of clock_now_ns(). For one thread, but for clock_socket_wake. */
#ifndef MUSTER_PROTO_CLOCK_SOCKET_H
#define MUSTER_PROTO_CLOCK_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "common/error.h"

struct clock_socket;

/* Bound to `address` (its port may be 0; [::] takes IPv4 as well). */
struct clock_socket *clock_socket_open(const struct sockaddr *address, socklen_t size,
				       struct error *err);
void clock_socket_close(struct clock_socket *socket);
uint16_t clock_socket_port(const struct clock_socket *socket);
/* Whether the kernel stamps what comes, what leaves: it took the request, and the first sixteen
 * datagrams did not show otherwise. */
bool clock_socket_kernel_receive(const struct clock_socket *socket);
bool clock_socket_kernel_send(const struct clock_socket *socket);

struct clock_datagram {
	unsigned char data[256];
	size_t size; /* of what came; more than fits was cut and is no packet of ours */
	struct sockaddr_storage from;
	socklen_t from_size;
	uint64_t at_ns; /* came at; at most error_ns wrong */
	uint32_t error_ns;
	bool kernel;      /* stamped by the kernel */
	uint64_t seen_ns; /* the program's clock when it had been read: never before at_ns */
};

/* Sends; `number` (from 1, growing) names it for clock_socket_sent. *before_ns: the program's clock
 * just before. 0 or -errno. */
int clock_socket_send(struct clock_socket *socket, const void *data, size_t size,
		      const struct sockaddr *to, socklen_t to_size, uint32_t *number,
		      uint64_t *before_ns);
/* When that datagram left, once the kernel has said so. False: not known (yet, or ever). */
bool clock_socket_sent(struct clock_socket *socket, uint32_t number, uint64_t *at_ns,
		       uint32_t *error_ns);
/* Waits at most `timeout_ms`: 1 a datagram, 0 none, or woken. Errors of peers (ICMP) are swallowed.
 */
int clock_socket_receive(struct clock_socket *socket, int timeout_ms,
			 struct clock_datagram *datagram);
/* From any thread: ends the receive that is under way, or else the next. */
void clock_socket_wake(struct clock_socket *socket);

/* Readies the calling thread for stamping: signals go to others, it gets this name and, where that
 * can be had for a single thread, nice -20. Refusals are ignored. */
void clock_socket_thread(const char *name);

#endif
