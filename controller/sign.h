/* sign.h - SHA-256 of files and Ed25519 signatures.
 *
 * Keys are files as OpenSSL writes them (PEM: PKCS#8, SubjectPublicKeyInfo), so that others can
 * check a signature without muster: docs/DESIGN.md, "Results". */
#ifndef MUSTER_CONTROLLER_SIGN_H
#define MUSTER_CONTROLLER_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Lower-case hexadecimal, with their NUL. */
#define SIGN_DIGEST_TEXT    65
#define SIGN_PUBLIC_TEXT    65
#define SIGN_SIGNATURE_TEXT 129

/* SHA-256 and size of an open file from its beginning to its end. */
int sign_digest(int fd, const char *path, char digest[SIGN_DIGEST_TEXT], uint64_t *size_bytes,
		struct error *err);

/* Makes a key: NAME.sign.key (mode 0600) and NAME.sign.pub, neither of which may exist. On -1
 * neither is left. NAME may lead into a directory; its last part is a name as key_is_name has it
 * (ERROR_USAGE). */
int sign_keygen(const char *name, struct error *err);

/* The secret key that signs, or the public one that a signature is held against. A secret one that
 * others may read, is no plain file, or is another kind of key: refused. */
struct sign_key;
struct sign_key *sign_key_read_secret(const char *path, struct error *err);
struct sign_key *sign_key_read_public(const char *path, struct error *err);
void sign_key_free(struct sign_key *key);

/* The public half as text: what a manifest names its signer by. */
void sign_key_public(const struct sign_key *key, char text[SIGN_PUBLIC_TEXT]);

/* Signs bytes with a secret key. */
void sign_make(const struct sign_key *key, const void *bytes, size_t size,
	       char signature[SIGN_SIGNATURE_TEXT]);

/* Whether `signature` is that of these bytes by the key whose public half is `public_key`; texts of
 * any other form are not. */
bool sign_is_good(const char *public_key, const void *bytes, size_t size, const char *signature);

#endif
