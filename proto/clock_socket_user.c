/* clock_socket_user.c - stamps of the program's own: where a kernel's cannot be had. */
#include "proto/clock_socket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/udp.h"

struct clock_socket {
	struct udp udp;
	uint32_t number;
};

struct clock_socket *clock_socket_open(const struct sockaddr *address, socklen_t size,
				       struct error *err)
{
	struct clock_socket *socket = mem_new(1, sizeof(*socket));

	if (udp_init(&socket->udp, address, size, err) == 0)
		return socket;
	free(socket);
	return NULL;
}

void clock_socket_close(struct clock_socket *socket)
{
	if (!socket)
		return;
	udp_release(&socket->udp);
	free(socket);
}

uint16_t clock_socket_port(const struct clock_socket *socket)
{
	return udp_port(&socket->udp);
}

bool clock_socket_kernel_receive(const struct clock_socket *socket)
{
	(void)socket;
	return false;
}

bool clock_socket_kernel_send(const struct clock_socket *socket)
{
	(void)socket;
	return false;
}

int clock_socket_send(struct clock_socket *socket, const void *data, size_t size,
		      const struct sockaddr *to, socklen_t to_size, uint32_t *number,
		      uint64_t *before_ns)
{
	*number = ++socket->number;
	*before_ns = clock_now_ns();
	return sendto(socket->udp.fd, data, size, 0, to, to_size) < 0 ? -errno : 0;
}

bool clock_socket_sent(struct clock_socket *socket, uint32_t number, uint64_t *at_ns,
		       uint32_t *error_ns)
{
	(void)socket, (void)number, (void)at_ns, (void)error_ns;
	return false;
}

static bool take(struct clock_socket *socket, struct clock_datagram *datagram)
{
	datagram->from_size = sizeof(datagram->from);
	ssize_t size = recvfrom(socket->udp.fd, datagram->data, sizeof(datagram->data), 0,
				(struct sockaddr *)&datagram->from, &datagram->from_size);
	if (size < 0)
		return false;
	datagram->size = (size_t)size;
	datagram->at_ns = datagram->seen_ns = clock_now_ns();
	datagram->error_ns = 1; /* what a clock in whole ns cannot say */
	datagram->kernel = false;
	return true;
}

int clock_socket_receive(struct clock_socket *socket, int timeout_ms,
			 struct clock_datagram *datagram)
{
	int events = udp_wait(&socket->udp, timeout_ms);

	if (events & POLLERR)
		udp_clear_error(&socket->udp);
	return events && take(socket, datagram) ? 1 : 0;
}

void clock_socket_wake(struct clock_socket *socket)
{
	udp_wake(&socket->udp);
}

void clock_socket_thread(const char *name)
{
	sigset_t all;

	(void)name;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}
