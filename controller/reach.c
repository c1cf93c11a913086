#include "controller/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/memory.h"
#include "proto/endpoint.h"

#define PATIENCE_MS 300

/* 0: connected; else an errno. */
static int try_connect(const struct reach *reach)
{
	int fd = socket(reach->address.ss_family, SOCK_STREAM, 0);
	int code = 0;

	if (fd < 0)
		return errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, (const struct sockaddr *)&reach->address, reach->size) < 0)
		code = errno;
	if (code == EINPROGRESS) {
		struct pollfd item = {.fd = fd, .events = POLLOUT};
		socklen_t size = sizeof(code);
		code = ETIMEDOUT;
		if (poll(&item, 1, PATIENCE_MS) > 0)
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
	}
	close(fd);
	return code;
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

char *reach_describe(const struct reach *reach, uint64_t silence_ns)
{
	double seconds = (double)silence_ns / 1e9;
	int code = try_connect(reach);

	if (code == 0)
		return mem_format(
			"no answer for %.1f s although its port takes connections: the agent is "
			"stopped or stuck",
			seconds);
	if (code == ECONNREFUSED)
		return mem_format(
			"no answer for %.1f s: no agent listens there (connection refused)",
			seconds);
	/* What Linux says of a route that drops all. */
	return mem_format("no answer for %.1f s: the network does not reach it (%s)", seconds,
			  code == EINVAL ? "a route of this host drops what is sent there"
					 : strerror(code));
}
