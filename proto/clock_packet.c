#include "proto/clock_packet.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "common/memory.h"

#define MAC_SIZE  16 /* of 32: what RFC 2104 allows, and enough against guessing */
#define BODY_SIZE (CLOCK_PACKET_SIZE - MAC_SIZE)

#define STAMP_T2          1u
#define STAMP_PREVIOUS_T3 2u

static const unsigned char magic[4] = {'M', 'C', 'K', '1'};
enum { AT_KIND = 4, AT_STAMP = 5, AT_SESSION = 8 };

struct clock_key {
	EVP_MAC_CTX *context;
};

static void demand(int done)
{
	if (!done) {
		fprintf(stderr, "OpenSSL has no HMAC with SHA-256\n");
		exit(6);
	}
}

struct clock_key *clock_key_new(const unsigned char key[CLOCK_KEY_SIZE])
{
	char digest[] = "SHA256";
	const OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	struct clock_key *made = mem_new(1, sizeof(*made));
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);

	demand(hmac != NULL);
	made->context = EVP_MAC_CTX_new(hmac);
	demand(made->context && EVP_MAC_init(made->context, key, CLOCK_KEY_SIZE, parameters));
	EVP_MAC_free(hmac);
	return made;
}

void clock_key_free(struct clock_key *key)
{
	if (!key)
		return;
	EVP_MAC_CTX_free(key->context);
	free(key);
}

static void authenticate(struct clock_key *key, const unsigned char body[BODY_SIZE],
			 unsigned char mac[MAC_SIZE])
{
	unsigned char whole[EVP_MAX_MD_SIZE];
	size_t size = 0;

	/* Without a key init takes the one it has. */
	demand(EVP_MAC_init(key->context, NULL, 0, NULL) &&
	       EVP_MAC_update(key->context, body, BODY_SIZE) &&
	       EVP_MAC_final(key->context, whole, &size, sizeof(whole)) && size >= MAC_SIZE);
	memcpy(mac, whole, MAC_SIZE);
}

static void put(unsigned char **at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*(*at)++ = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char **at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t) * (*at)++ << 8 * i;
	return value;
}

void clock_packet_pack(const struct clock_packet *packet, struct clock_key *key,
		       unsigned char out[CLOCK_PACKET_SIZE])
{
	unsigned char *at = out;

	memcpy(at, magic, sizeof(magic));
	at += sizeof(magic);
	put(&at, packet->kind, 1);
	put(&at,
	    (packet->kernel_t2 ? STAMP_T2 : 0) |
		    (packet->kernel_previous_t3 ? STAMP_PREVIOUS_T3 : 0),
	    1);
	put(&at, 0, 2);
	put(&at, packet->session, 8);
	put(&at, packet->sequence, 4);
	put(&at, packet->previous, 4);
	put(&at, packet->t1, 8);
	put(&at, packet->t2, 8);
	put(&at, packet->t3, 8);
	put(&at, packet->previous_t3, 8);
	put(&at, packet->t2_error_ns, 4);
	put(&at, packet->previous_t3_error_ns, 4);
	assert(at == out + BODY_SIZE);
	authenticate(key, out, at);
}

static bool is_sound(const unsigned char body[BODY_SIZE])
{
	unsigned kind = body[AT_KIND];

	return memcmp(body, magic, sizeof(magic)) == 0 &&
	       (kind == CLOCK_PACKET_PING || kind == CLOCK_PACKET_PONG) &&
	       (body[AT_STAMP] & ~(STAMP_T2 | STAMP_PREVIOUS_T3)) == 0 && body[6] == 0 &&
	       body[7] == 0;
}

bool clock_packet_unpack(struct clock_packet *packet, struct clock_key *key,
			 const unsigned char *data, size_t size)
{
	unsigned char mac[MAC_SIZE];

	if (size != CLOCK_PACKET_SIZE || !is_sound(data))
		return false;
	authenticate(key, data, mac);
	/* In a time that does not tell how many bytes were right. */
	if (CRYPTO_memcmp(mac, data + BODY_SIZE, MAC_SIZE) != 0)
		return false;
	*packet = (struct clock_packet){
		.kind = data[AT_KIND],
		.kernel_t2 = data[AT_STAMP] & STAMP_T2,
		.kernel_previous_t3 = data[AT_STAMP] & STAMP_PREVIOUS_T3,
	};
	const unsigned char *at = data + AT_SESSION;
	packet->session = get(&at, 8);
	packet->sequence = (uint32_t)get(&at, 4);
	packet->previous = (uint32_t)get(&at, 4);
	packet->t1 = get(&at, 8);
	packet->t2 = get(&at, 8);
	packet->t3 = get(&at, 8);
	packet->previous_t3 = get(&at, 8);
	packet->t2_error_ns = (uint32_t)get(&at, 4);
	packet->previous_t3_error_ns = (uint32_t)get(&at, 4);
	return true;
}

bool clock_packet_session(const unsigned char *data, size_t size, uint64_t *session)
{
	if (size != CLOCK_PACKET_SIZE || !is_sound(data))
		return false;
	const unsigned char *at = data + AT_SESSION;
	*session = get(&at, 8);
	return true;
}
