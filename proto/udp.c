#include "proto/udp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static int make_quick(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void take_ipv4_too(int fd, const struct sockaddr *address)
{
	int no = 0;

	/* Where it is refused, IPv4 peers stay unreached, which the exchange notices. */
	if (address->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
}

int udp_init(struct udp *udp, const struct sockaddr *address, socklen_t size, struct error *err)
{
	*udp = (struct udp){.fd = -1, .wake = {-1, -1}};
	udp->fd = socket(address->sa_family, SOCK_DGRAM, 0);
	if (udp->fd < 0 || make_quick(udp->fd) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot make a UDP socket: %s", strerror(errno));
		goto out;
	}
	take_ipv4_too(udp->fd, address);
	if (bind(udp->fd, address, size) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot bind a UDP socket: %s", strerror(errno));
		goto out;
	}
	if (pipe(udp->wake) < 0 || make_quick(udp->wake[0]) < 0 || make_quick(udp->wake[1]) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	return 0;
out:
	udp_release(udp);
	return -1;
}

void udp_release(struct udp *udp)
{
	int fds[] = {udp->fd, udp->wake[0], udp->wake[1]};

	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*udp = (struct udp){.fd = -1, .wake = {-1, -1}};
}

uint16_t udp_port(const struct udp *udp)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);

	if (getsockname(udp->fd, (struct sockaddr *)&address, &size) < 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

int udp_wait(struct udp *udp, int timeout_ms)
{
	struct pollfd polled[] = {{.fd = udp->fd, .events = POLLIN},
				  {.fd = udp->wake[0], .events = POLLIN}};
	char drained[64];

	if (poll(polled, 2, timeout_ms) <= 0)
		return 0;
	if (polled[1].revents == 0)
		return polled[0].revents;
	while (read(udp->wake[0], drained, sizeof(drained)) == sizeof(drained))
		;
	return 0;
}

void udp_wake(struct udp *udp)
{
	/* A full pipe wakes as well. */
	ssize_t written = write(udp->wake[1], "", 1);
	(void)written;
}

void udp_clear_error(struct udp *udp)
{
	int error;
	socklen_t size = sizeof(error);

	getsockopt(udp->fd, SOL_SOCKET, SO_ERROR, &error, &size);
}
