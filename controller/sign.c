#include "controller/sign.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hex.h"
#include "common/memory.h"
#include "common/owned.h"
#include "proto/key.h"

#define RAW_KEY       32
#define RAW_SIGNATURE 64

struct sign_key {
	EVP_PKEY *pair;
	unsigned char public_half[RAW_KEY];
};

/* What cannot fail but for want of memory. */
static void demand(bool holds)
{
	if (holds)
		return;
	fprintf(stderr, "OpenSSL has no SHA-256 or Ed25519\n");
	abort();
}

static bool parse(void *bytes, size_t size, const char *text)
{
	return text && strlen(text) == 2 * size && hex_parse(bytes, size, text);
}

/* ---- digests ---- */

static int cannot(const char *what, const char *path, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot %s '%s': %s", what, path, strerror(errno));
	return -1;
}

static int digest_all(EVP_MD_CTX *context, int fd, const char *path, uint64_t *size_bytes,
		      struct error *err)
{
	unsigned char bytes[16384];
	ssize_t got;

	*size_bytes = 0;
	while ((got = pread(fd, bytes, sizeof(bytes), (off_t)*size_bytes)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return cannot("read", path, err);
		demand(EVP_DigestUpdate(context, bytes, (size_t)got) == 1);
		*size_bytes += (uint64_t)got;
	}
	return 0;
}

int sign_digest(int fd, const char *path, char digest[SIGN_DIGEST_TEXT], uint64_t *size_bytes,
		struct error *err)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	demand(context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1);
	int failed = digest_all(context, fd, path, size_bytes, err);
	demand(EVP_DigestFinal_ex(context, raw, NULL) == 1);
	EVP_MD_CTX_free(context);
	hex_format(digest, raw, RAW_KEY);
	return failed;
}

/* ---- making a key ---- */

/* Whole and on the disk, or not there at all. */
static int write_key(const char *path, mode_t mode, EVP_PKEY *pair, bool secret, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		if (fd >= 0)
			close(fd);
		return cannot("make", path, err);
	}
	bool good = secret ? PEM_write_PKCS8PrivateKey(file, pair, NULL, NULL, 0, NULL, NULL) == 1
			   : PEM_write_PUBKEY(file, pair) == 1;
	good = good && fflush(file) == 0 && fsync(fd) == 0;
	int code = errno;
	if (fclose(file) != 0 && good) {
		good = false;
		code = errno;
	}
	if (good)
		return 0;
	unlink(path);
	errno = code ? code : EIO;
	return cannot("write", path, err);
}

/* Else an empty one would make files that ls does not show. */
static int check_name(const char *name, struct error *err)
{
	const char *slash = strrchr(name, '/'), *own = slash ? slash + 1 : name;

	if (key_is_name(own, strlen(own)))
		return 0;
	error_set(
		err, ERROR_USAGE,
		"'%s' is no name for a key: wanted are, behind the last '/', letters, digits, '.', "
		"'_' and '-', not beginning with '.' or '-'",
		name);
	return -1;
}

int sign_keygen(const char *name, struct error *err)
{
	if (check_name(name, err) < 0)
		return -1;
	char *secret = mem_format("%s.sign.key", name);
	char *public_half = mem_format("%s.sign.pub", name);
	EVP_PKEY *pair = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");

	demand(pair != NULL);
	int failed = write_key(secret, 0600, pair, true, err);
	if (!failed) {
		failed = write_key(public_half, 0644, pair, false, err);
		if (failed)
			unlink(secret);
	}
	EVP_PKEY_free(pair);
	free(public_half);
	free(secret);
	return failed;
}

/* ---- reading one ---- */

static struct sign_key *take(EVP_PKEY *pair, const char *path, const char *kind, struct error *err)
{
	struct sign_key *key = mem_new(1, sizeof(*key));
	size_t size = RAW_KEY;

	key->pair = pair;
	if (pair && EVP_PKEY_get_id(pair) == EVP_PKEY_ED25519 &&
	    EVP_PKEY_get_raw_public_key(pair, key->public_half, &size) == 1 && size == RAW_KEY)
		return key;
	error_set(err, ERROR_USAGE,
		  "'%s' is not a %s Ed25519 key: `muster keygen --sign NAME` makes NAME.sign.key, "
		  "which signs, and NAME.sign.pub, which checks",
		  path, kind);
	ERR_clear_error();
	sign_key_free(key);
	return NULL;
}

/* A key without a password is asked for none. */
static int no_password(char *into, int size, int writing, void *context)
{
	(void)into, (void)size, (void)writing, (void)context;
	return -1;
}

static FILE *open_key(const char *path, bool secret, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0) {
		error_set(err, ERROR_USAGE, "cannot open key '%s': %s", path, strerror(errno));
		return NULL;
	}
	char *why = NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		why = mem_text("it is no plain file");
	else if (secret)
		why = owned_fault(&st, 077, path);
	FILE *file = why ? NULL : fdopen(fd, "r");
	if (file)
		return file;
	error_set(err, ERROR_USAGE, "cannot use key '%s': %s", path, why ? why : strerror(errno));
	free(why);
	close(fd);
	return NULL;
}

struct sign_key *sign_key_read_secret(const char *path, struct error *err)
{
	FILE *file = open_key(path, true, err);

	if (!file)
		return NULL;
	EVP_PKEY *pair = PEM_read_PrivateKey(file, NULL, no_password, NULL);
	fclose(file);
	return take(pair, path, "secret", err);
}

struct sign_key *sign_key_read_public(const char *path, struct error *err)
{
	FILE *file = open_key(path, false, err);

	if (!file)
		return NULL;
	EVP_PKEY *pair = PEM_read_PUBKEY(file, NULL, no_password, NULL);
	fclose(file);
	return take(pair, path, "public", err);
}

void sign_key_free(struct sign_key *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pair);
	free(key);
}

void sign_key_public(const struct sign_key *key, char text[SIGN_PUBLIC_TEXT])
{
	hex_format(text, key->public_half, RAW_KEY);
}

/* ---- signatures ---- */

void sign_make(const struct sign_key *key, const void *bytes, size_t size,
	       char signature[SIGN_SIGNATURE_TEXT])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char raw[RAW_SIGNATURE];
	size_t length = sizeof(raw);

	demand(context && EVP_DigestSignInit(context, NULL, NULL, NULL, key->pair) == 1 &&
	       EVP_DigestSign(context, raw, &length, bytes, size) == 1 && length == sizeof(raw));
	EVP_MD_CTX_free(context);
	hex_format(signature, raw, sizeof(raw));
}

bool sign_is_good(const char *public_key, const void *bytes, size_t size, const char *signature)
{
	unsigned char raw_key[RAW_KEY], raw[RAW_SIGNATURE];
	bool good = false;

	if (!parse(raw_key, RAW_KEY, public_key) || !parse(raw, sizeof(raw), signature))
		return false;
	EVP_PKEY *key =
		EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, raw_key, sizeof(raw_key));
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	demand(context != NULL);
	if (key && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1)
		good = EVP_DigestVerify(context, raw, sizeof(raw), bytes, size) == 1;
	ERR_clear_error();
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
	return good;
}
