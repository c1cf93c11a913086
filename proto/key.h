/* key.h - long-term keys of controllers and agents (CurveZMQ), and the files they are kept in.
 *
 * `muster keygen NAME` makes a pair: NAME.key, which is public and goes to everybody who talks to
 * NAME, and NAME.secret, which stays with NAME. Both are a few lines of text:
 *
 *     muster-key 1
 *     name ops
 *     public 4c5e…    64 digits 0-9 a-f
 *     secret 91f0…    likewise, in NAME.secret only
 *
 * A line that begins with '#' and an empty one say nothing. Anything else is an error with its
 * line. */
#ifndef MUSTER_PROTO_KEY_H
#define MUSTER_PROTO_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

#define KEY_SIZE      32
#define KEY_TEXT_SIZE (2 * KEY_SIZE + 1)
#define KEY_NAME_SIZE 256
#define KEY_FILE_MAX  4096

struct key_pair {
	unsigned char public[KEY_SIZE], secret[KEY_SIZE];
};

struct key_file {
	char name[KEY_NAME_SIZE]; /* letters, digits, '.', '_' and '-' */
	bool has_secret;
	struct key_pair pair;
};

/* What a key is called and its file: "ops" is ops.key or ops.secret in the directory of keys; what
 * has a '/' is a path. The caller's to free. */
enum key_part { KEY_PART_PUBLIC, KEY_PART_SECRET };
char *key_path(const char *name, enum key_part part);

/* Where keys are by name: $MUSTER_KEYS where that is set; /etc/muster/keys for root, else
 * $XDG_CONFIG_HOME/muster/keys or
 * ~/.config/muster/keys. The caller's to free. */
char *key_directory(void);

/* Whether it may be a key's name: letters, digits, '_', '.' and '-', beginning with none of the
 * last two. */
bool key_is_name(const char *text, size_t size);

/* Reads a file's text, which need not end in NUL (ERROR_USAGE with the line). That a secret belongs
 * to its public part is not looked at. */
int key_parse(struct key_file *file, const char *text, size_t size, struct error *err);
/* The text, with or without the secret; the caller's to free, a secret to be wiped. */
char *key_format(const struct key_file *file, enum key_part part);

/* From files. A secret that others may read, and a public key that others may change, is refused
 * with what to type; so is the one where the other is wanted. ERROR_USAGE. */
int key_read_public(const char *path, unsigned char key[KEY_SIZE], struct error *err);
int key_read_secret(const char *path, struct key_pair *pair, struct error *err);

/* Makes a pair and its two files, `directory`/NAME.key and NAME.secret, and the directory when it
 * is not there; what is there already is never touched (ERROR_USAGE). On failure neither file is
 * left.
 */
int key_make(const char *directory, const char *name, struct error *err);

/* Overwrites, so that the compiler does not leave it out. */
void key_wipe(void *secret, size_t size);

#endif
