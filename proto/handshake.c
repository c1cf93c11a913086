#include "proto/handshake.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <czmq.h>

#include "common/memory.h"
#include "proto/endpoint.h"

#define EVENTS                                                                                     \
	(ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |                               \
	 ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)

struct handshake_watch {
	void *watched, *socket;
	char last[HANDSHAKE_ENDPOINT_SIZE]; /* to connect */
	bool is_listening;
};

struct handshake_watch *handshake_watch_new(void *socket, struct error *err)
{
	struct handshake_watch *watch = mem_new(1, sizeof(*watch));
	char endpoint[64];
	int linger = 0, unlimited = 0;

	snprintf(endpoint, sizeof(endpoint), "inproc://muster.handshake.%p", socket);
	watch->watched = socket;
	watch->socket = zmq_socket(zsys_init(), ZMQ_PAIR);
	if (watch->socket) {
		zmq_setsockopt(watch->socket, ZMQ_LINGER, &linger, sizeof(linger));
		/* The library's I/O thread would wait for us at a limit, and hold a lock meanwhile.
		 */
		zmq_setsockopt(watch->socket, ZMQ_RCVHWM, &unlimited, sizeof(unlimited));
	}
	if (watch->socket && zmq_socket_monitor(socket, endpoint, EVENTS) == 0 &&
	    zmq_connect(watch->socket, endpoint) == 0)
		return watch;
	error_set(err, ERROR_SYSTEM, "cannot watch a ZeroMQ socket: %s", zmq_strerror(errno));
	handshake_watch_free(watch);
	return NULL;
}

void handshake_watch_free(struct handshake_watch *watch)
{
	if (!watch)
		return;
	zmq_socket_monitor(watch->watched, NULL, 0);
	if (watch->socket)
		zmq_close(watch->socket);
	free(watch);
}

void *handshake_watch_socket(struct handshake_watch *watch)
{
	return watch->socket;
}

/* The descriptor is the library's and may be closed by now: then it stays unknown. */
static void remember_peer(struct handshake_watch *watch, int fd)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char text[128];

	watch->last[0] = 0;
	if (getpeername(fd, (struct sockaddr *)&address, &size) == 0 &&
	    getnameinfo((struct sockaddr *)&address, size, text, sizeof(text), NULL, 0,
			NI_NUMERICHOST) == 0)
		snprintf(watch->last, sizeof(watch->last), "%s", endpoint_bare_address(text));
}

static enum handshake_failure failure_of(uint16_t event, uint32_t value)
{
	if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
		return HANDSHAKE_REFUSED;
	if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
		return value == ETIMEDOUT ? HANDSHAKE_TOO_SLOW : HANDSHAKE_CLOSED;
	if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
		return HANDSHAKE_MECHANISM;
	if (value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC)
		return HANDSHAKE_KEY;
	return HANDSHAKE_NO_ZEROMQ;
}

/* Of one part; -1: none waits. */
static int receive(void *socket, void *into, size_t size, size_t *got)
{
	int length = zmq_recv(socket, into, size, ZMQ_DONTWAIT);

	if (length < 0)
		return -1;
	*got = (size_t)length < size ? (size_t)length : size;
	return 0;
}

int handshake_watch_take(struct handshake_watch *watch, struct handshake *handshake)
{
	unsigned char head[6] = {0};
	uint16_t event;
	uint32_t value;
	size_t size;

	*handshake = (struct handshake){0};
	if (receive(watch->socket, head, sizeof(head), &size) < 0 ||
	    receive(watch->socket, handshake->peer, sizeof(handshake->peer) - 1, &size) < 0)
		return -1;
	memcpy(&event, head, sizeof(event));
	memcpy(&value, head + sizeof(event), sizeof(value));
	if (event == ZMQ_EVENT_ACCEPTED) {
		watch->is_listening = true;
		remember_peer(watch, (int)value);
		return 0;
	}
	if (watch->is_listening)
		memcpy(handshake->peer, watch->last, sizeof(watch->last));
	handshake->failure = failure_of(event, value);
	return 1;
}
