/* endpoint.h - "tcp://HOST:PORT", with IPv6 addresses in brackets. */
#ifndef MUSTER_PROTO_ENDPOINT_H
#define MUSTER_PROTO_ENDPOINT_H

#include <stdbool.h>

#define ENDPOINT_HOST_SIZE 512
#define ENDPOINT_PORT_SIZE 8

/* Host without brackets, and port. False, with both empty, for anything else. */
bool endpoint_split(const char *endpoint, char host[ENDPOINT_HOST_SIZE],
		    char port[ENDPOINT_PORT_SIZE]);

/* Whether one can listen there: as endpoint_split, with a port from 1 to 65535, or * for any that
 * is free. What ZeroMQ would make of another number is another port, without a word. */
bool endpoint_can_listen(const char *endpoint);
#define ENDPOINT_LISTEN_WANTED                                                                     \
	"is no endpoint: write tcp://ADDRESS:PORT, such as tcp://127.0.0.1:7411, with a port "     \
	"from 1 to 65535, or * for a free one"

/* "tcp://HOST:PORT", an IPv6 address in brackets; the caller's to free. */
char *endpoint_format(const char *host, unsigned port);

/* Where the address itself begins: an IPv4 one in IPv6's clothes ("::ffff:10.0.0.1") without them.
 */
const char *endpoint_bare_address(const char *address);

/* Whether the host is an address of the loopback written as one: 127.0.0.0/8, ::1, "localhost".
 * Other names are not looked up and answer false. */
bool endpoint_is_loopback(const char *endpoint);

#endif
