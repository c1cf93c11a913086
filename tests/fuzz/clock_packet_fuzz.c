/* A clock datagram: refused unless its maker has the key; sealed with the key it is refused, or
 * read as a packet that packs to the same bytes. */
#include <assert.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "proto/clock_packet.h"
#include "tests/fuzz/accepted.h"

#define BODY (CLOCK_PACKET_SIZE - 16)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const unsigned char secret[CLOCK_KEY_SIZE] = "0123456789abcdef0123456789abcdef";

static void check_packs_alike(const struct clock_packet *packet, struct clock_key *key,
			      const unsigned char data[CLOCK_PACKET_SIZE])
{
	unsigned char again[CLOCK_PACKET_SIZE];
	uint64_t session;

	clock_packet_pack(packet, key, again);
	assert(memcmp(again, data, sizeof(again)) == 0);
	bool is_claimed = clock_packet_session(data, sizeof(again), &session);
	assert(is_claimed && session == packet->session);
}

static void check_sealed(struct clock_key *key, const unsigned char *data, size_t size)
{
	unsigned char sealed[CLOCK_PACKET_SIZE] = {0}, mac[EVP_MAX_MD_SIZE];
	struct clock_packet packet;

	memcpy(sealed, data, size < BODY ? size : BODY);
	HMAC(EVP_sha256(), secret, sizeof(secret), sealed, BODY, mac, NULL);
	memcpy(sealed + BODY, mac, sizeof(sealed) - BODY);
	if (clock_packet_unpack(&packet, key, sealed, sizeof(sealed))) {
		check_packs_alike(&packet, key, sealed);
		accepted = size == sizeof(sealed);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct clock_key *key;
	struct clock_packet packet;
	uint64_t session;

	if (!key)
		key = clock_key_new(secret);
	if (clock_packet_unpack(&packet, key, data, size))
		check_packs_alike(&packet, key, data);
	else if (clock_packet_session(data, size, &session))
		assert(size == CLOCK_PACKET_SIZE);
	check_sealed(key, data, size);
	return 0;
}
