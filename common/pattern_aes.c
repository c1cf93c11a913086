#include "common/pattern_aes.h"

#include <assert.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

#define BLOCK 16

/* A thread's own: OpenSSL's context is not for two, and takes time to make. */
struct stream {
	EVP_CIPHER_CTX *cipher;
	uint64_t key[2];
};

static pthread_key_t streams;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(void *context)
{
	struct stream *stream = context;

	EVP_CIPHER_CTX_free(stream->cipher);
	free(stream);
}

static void make_streams(void)
{
	int failed = pthread_key_create(&streams, release);

	assert(!failed);
}

static struct stream *begin(void)
{
	struct stream *stream = mem_new(1, sizeof(*stream));
	int made;

	stream->cipher = EVP_CIPHER_CTX_new();
	made = stream->cipher && EVP_EncryptInit_ex(stream->cipher, EVP_aes_128_ctr(), NULL,
						    (const unsigned char *)stream->key, NULL);
	assert(made);
	pthread_setspecific(streams, stream);
	return stream;
}

/* The counter is the last 8 bytes, the highest first. */
static void aim(struct stream *stream, const uint64_t key[2], uint64_t block)
{
	bool is_same = key[0] == stream->key[0] && key[1] == stream->key[1];
	unsigned char counter[BLOCK] = {0};
	int aimed;

	for (int i = 0; i < 8; i++)
		counter[BLOCK - 1 - i] = (unsigned char)(block >> 8 * i);
	memcpy(stream->key, key, sizeof(stream->key));
	aimed = EVP_EncryptInit_ex(stream->cipher, NULL, NULL,
				   is_same ? NULL : (const unsigned char *)key, counter);
	assert(aimed);
}

void pattern_aes(void *into, size_t size, const uint64_t key[2], uint64_t block)
{
	static const unsigned char zeros[4096];
	unsigned char *at = into;

	pthread_once(&once, make_streams);
	struct stream *stream = pthread_getspecific(streams);
	aim(stream ? stream : (stream = begin()), key, block);
	while (size) {
		int piece = (int)(size < sizeof(zeros) ? size : sizeof(zeros)), made = 0;
		int done = EVP_EncryptUpdate(stream->cipher, at, &made, zeros, piece);
		assert(done && made == piece);
		at += made;
		size -= (size_t)made;
	}
}
