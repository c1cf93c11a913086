#include "proto/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/memory.h"

static const char scheme[] = "tcp://";

bool endpoint_split(const char *endpoint, char host[ENDPOINT_HOST_SIZE],
		    char port[ENDPOINT_PORT_SIZE])
{
	host[0] = port[0] = 0;
	if (strncmp(endpoint, scheme, strlen(scheme)) != 0)
		return false;
	const char *start = endpoint + strlen(scheme);
	const char *colon = strrchr(start, ':');
	if (!colon || colon == start || !colon[1] || strlen(colon + 1) >= ENDPOINT_PORT_SIZE)
		return false;
	size_t length = (size_t)(colon - start);
	bool bracketed = *start == '[';
	if (bracketed && (length < 3 || start[length - 1] != ']'))
		return false;
	if (!bracketed && memchr(start, ':', length))
		return false;
	start += bracketed;
	length -= bracketed ? 2 : 0;
	if (length >= ENDPOINT_HOST_SIZE)
		return false;
	memcpy(host, start, length);
	host[length] = 0;
	strcpy(port, colon + 1);
	return true;
}

bool endpoint_can_listen(const char *endpoint)
{
	char host[ENDPOINT_HOST_SIZE], port[ENDPOINT_PORT_SIZE];

	if (!endpoint_split(endpoint, host, port))
		return false;
	if (strcmp(port, "*") == 0)
		return true;
	unsigned long number = strtoul(port, NULL, 10);
	return strspn(port, "0123456789") == strlen(port) && number >= 1 && number <= 65535;
}

char *endpoint_format(const char *host, unsigned port)
{
	bool bare = host[0] != '[' && strchr(host, ':');

	return mem_format("%s%s%s%s:%u", scheme, bare ? "[" : "", host, bare ? "]" : "", port);
}

const char *endpoint_bare_address(const char *address)
{
	static const char clothes[] = "::ffff:";
	const char *rest = address + strlen(clothes);

	return strncmp(address, clothes, strlen(clothes)) == 0 && strchr(rest, '.') ? rest
										    : address;
}

bool endpoint_is_loopback(const char *endpoint)
{
	char host[ENDPOINT_HOST_SIZE], port[ENDPOINT_PORT_SIZE];
	struct in_addr v4;
	struct in6_addr v6;

	if (!endpoint_split(endpoint, host, port))
		return false;
	if (strcmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}
