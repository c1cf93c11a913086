#include "proto/run_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "common/hex.h"
#include "common/memory.h"
#include "common/random.h"

#define RAW_SIZE 32

bool run_id_is_name(const char *run)
{
	static const char legal[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t length = strlen(run);

	return length > 0 && length < RUN_ID_SIZE && run[0] != '.' && strspn(run, legal) == length;
}

bool run_id_is_given(const char *run)
{
	static const char form[] = "dddddddd-dddddd-xxxx";
	size_t i = 0;

	for (; form[i] && run[i]; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = strchr(digits, run[i]);
		if (form[i] == '-' ? run[i] != '-'
				   : !digit || digit - digits >= (form[i] == 'd' ? 10 : 16))
			return false;
	}
	return !form[i] && !run[i];
}

int run_id_make_owner(char owner[RUN_ID_OWNER_SIZE], struct error *err)
{
	unsigned char secret[RAW_SIZE];

	if (!random_secret(secret, sizeof(secret))) {
		error_set(err, ERROR_SYSTEM,
			  "the system gives no random numbers (/dev/urandom): the run's results "
			  "would be anybody's");
		return -1;
	}
	hex_format(owner, secret, sizeof(secret));
	return 0;
}

bool run_id_is_owner(const char *owner)
{
	return strlen(owner) == RUN_ID_OWNER_SIZE - 1 &&
	       strspn(owner, "0123456789abcdef") == RUN_ID_OWNER_SIZE - 1;
}

static void demand(bool done)
{
	if (done)
		return;
	fprintf(stderr, "OpenSSL has no SHA-256\n");
	exit(6);
}

void run_id_derive_owner(const unsigned char key[KEY_SIZE], const char *run,
			 char owner[RUN_ID_OWNER_SIZE])
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	char *text = mem_format("muster owner of run %s", run);

	demand(HMAC(EVP_sha256(), key, KEY_SIZE, (const unsigned char *)text, strlen(text), raw,
		    NULL));
	hex_format(owner, raw, RAW_SIZE);
	free(text);
}

void run_id_digest(const char *owner, char digest[RUN_ID_OWNER_SIZE])
{
	unsigned char raw[EVP_MAX_MD_SIZE];

	demand(EVP_Digest(owner, strlen(owner), raw, NULL, EVP_sha256(), NULL) == 1);
	hex_format(digest, raw, RAW_SIZE);
}
