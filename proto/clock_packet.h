/* clock_packet.h - the datagrams of the clock exchange, fixed size, authenticated.
 *
 * 80 bytes, little-endian: magic "MCK1", kind, stamp (bit 0: t2 is the kernel's, bit 1: previous
 * t3 is), two zero bytes, session (8), sequence (4), previous sequence (4), t1, t2, t3, previous t3
 * (8 each), errors of t2 and of the previous t3 in ns (4 each), then the first 16 bytes of
 * HMAC-SHA-256 over all before, with a key that travelled on the control channel. */
#ifndef MUSTER_PROTO_CLOCK_PACKET_H
#define MUSTER_PROTO_CLOCK_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCK_PACKET_SIZE 80
#define CLOCK_KEY_SIZE    32

enum clock_packet_kind { CLOCK_PACKET_PING = 1, CLOCK_PACKET_PONG = 2 };

struct clock_packet {
	enum clock_packet_kind kind;
	bool kernel_t2, kernel_previous_t3; /* taken by the kernel */
	uint64_t session;                   /* of the lease; others are dropped */
	uint32_t sequence;                  /* of the ping, repeated in its pong; grows */
	uint32_t previous;                  /* sequence whose t3 stands in previous_t3; 0: none */
	uint64_t t1;                        /* as sent: controller's clock */
	uint64_t t2, t3;      /* agent's clock; t3 is the program's, just before sending */
	uint64_t previous_t3; /* when the pong before truly left; without the kernel's word, the
				 program's clock just before, later than that pong's t3 */
	uint32_t t2_error_ns, previous_t3_error_ns;
};

/* A key in use: OpenSSL's HMAC context, made once. For one thread at a time. */
struct clock_key;
struct clock_key *clock_key_new(const unsigned char key[CLOCK_KEY_SIZE]);
void clock_key_free(struct clock_key *key);

void clock_packet_pack(const struct clock_packet *packet, struct clock_key *key,
		       unsigned char out[CLOCK_PACKET_SIZE]);
/* False for anything that is not exactly one packet of this key. */
bool clock_packet_unpack(struct clock_packet *packet, struct clock_key *key,
			 const unsigned char *data, size_t size);
/* The session that a datagram claims, to find the key by: nothing is proved yet. */
bool clock_packet_session(const unsigned char *data, size_t size, uint64_t *session);

#endif
