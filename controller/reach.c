#include "controller/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/endpoint.h"

#define PATIENCE_NS (300 * NS_PER_MS)
#define BUSY_NS     (3 * NS_PER_S) /* so long it may be merely busy */

/* 0: connected; EINPROGRESS: `fd` will tell; another errno: why not; below 0: why this host could
 * not even try. */
static int begin(const struct reach *reach, int *fd)
{
	*fd = socket(reach->address.ss_family, SOCK_STREAM, 0);
	if (*fd < 0)
		return -errno;
	fcntl(*fd, F_SETFL, O_NONBLOCK);
	if (connect(*fd, (const struct sockaddr *)&reach->address, reach->size) == 0)
		return 0;
	return errno;
}

static int outcome(int fd)
{
	int code = 0;
	socklen_t size = sizeof(code);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0)
		return errno;
	return code;
}

/* A code for each of them, as of begin(). */
static void try_all(const struct reach_look *looks, uint32_t count, int *codes)
{
	struct pollfd *items = mem_new(count, sizeof(*items));
	uint64_t now = clock_now_ns(), end = now + PATIENCE_NS;
	uint32_t open = 0;

	for (uint32_t i = 0; i < count; i++) {
		codes[i] = begin(looks[i].reach, &items[i].fd);
		items[i].events = POLLOUT;
		open += codes[i] == EINPROGRESS;
	}
	for (uint32_t i = 0; i < count; i++)
		if (codes[i] != EINPROGRESS && items[i].fd >= 0) {
			close(items[i].fd);
			items[i].fd = -1;
		}
	for (; open && now < end; now = clock_now_ns()) {
		if (poll(items, count, (int)((end - now) / NS_PER_MS) + 1) < 0 && errno != EINTR)
			break;
		for (uint32_t i = 0; i < count; i++) {
			if (items[i].fd < 0 || !items[i].revents)
				continue;
			codes[i] = outcome(items[i].fd);
			close(items[i].fd);
			items[i].fd = -1;
			open--;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		if (items[i].fd >= 0) {
			codes[i] = ETIMEDOUT;
			close(items[i].fd);
		}
	free(items);
}

static int write_endpoint(struct reach *reach, const char *host, const char *port,
			  struct error *err)
{
	char address[64]; /* an IPv6 address with its interface has at most 62 */
	int failed = getnameinfo((const struct sockaddr *)&reach->address, reach->size, address,
				 sizeof(address), NULL, 0, NI_NUMERICHOST);

	if (failed) {
		error_set(err, ERROR_SETUP, "the address of '%s' cannot be written: %s", host,
			  gai_strerror(failed));
		return -1;
	}
	snprintf(reach->endpoint, sizeof(reach->endpoint),
		 strchr(address, ':') ? "tcp://[%s]:%s" : "tcp://%s:%s", address, port);
	return 0;
}

int reach_resolve(struct reach *reach, const char *endpoint, struct error *err)
{
	char host[ENDPOINT_HOST_SIZE], port[ENDPOINT_PORT_SIZE];
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;

	endpoint_split(endpoint, host, port);
	int failed = getaddrinfo(host, port, &hints, &found);
	if (failed) {
		error_set(err, ERROR_SETUP, "the name '%s' has no address: %s", host,
			  gai_strerror(failed));
		return -1;
	}
	memcpy(&reach->address, found->ai_addr, found->ai_addrlen);
	reach->size = found->ai_addrlen;
	freeaddrinfo(found);
	return write_endpoint(reach, host, port, err);
}

static char *describe(int code, uint64_t silence_ns)
{
	double seconds = (double)silence_ns / 1e9;

	if (code == 0 && silence_ns < BUSY_NS)
		return mem_format("no answer for %.1f s yet, and its port takes connections",
				  seconds);
	if (code == 0)
		return mem_format(
			"no answer for %.1f s although its port takes connections: the agent is "
			"stopped or stuck",
			seconds);
	if (code == ECONNREFUSED)
		return mem_format(
			"no answer for %.1f s: no agent listens there (connection refused)",
			seconds);
	if (code < 0)
		return mem_format("no answer for %.1f s, and this host cannot look why: %s",
				  seconds, strerror(-code));
	/* What Linux says of a route that drops all. */
	return mem_format("no answer for %.1f s: the network does not reach it (%s)", seconds,
			  code == EINVAL ? "a route of this host drops what is sent there"
					 : strerror(code));
}

void reach_look(struct reach_look *looks, uint32_t count)
{
	int *codes = mem_new(count, sizeof(*codes));

	try_all(looks, count, codes);
	for (uint32_t i = 0; i < count; i++)
		looks[i].why = describe(codes[i], looks[i].silence_ns);
	free(codes);
}
