/* manifest.h - MANIFEST.json: what a run directory held when it was written, and who says so.
 *
 * What is signed is not the file but this text, which any program can make from it again:
 *
 *     muster.manifest/1
 *     run <run>
 *     <sha256> <size_bytes> <name>        a line for each file, in the manifest's order
 *
 * each line ended by a line feed. Names are plain: no '/', none that begins with '.', printable. */
#ifndef MUSTER_CONTROLLER_MANIFEST_H
#define MUSTER_CONTROLLER_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "common/record.h"
#include "controller/sign.h"

#define MANIFEST_SCHEMA "muster.manifest/1"
#define MANIFEST_NAME   "MANIFEST.json"

struct manifest_file {
	char *name;
	uint64_t size_bytes;
	char *sha256;
};

struct manifest {
	char *schema, *run;
	struct manifest_file *files;
	uint32_t files_count;
	char *public_key, *signature; /* hexadecimal; absent: not signed */
};
extern const struct record_table manifest_table;

/* Adds a file of the directory, read again from the disk's point of view: what is there now. */
int manifest_add(struct manifest *manifest, const char *directory, const char *name,
		 struct error *err);

/* Signs it, or leaves it unsigned where `key` is NULL. */
void manifest_sign(struct manifest *manifest, const struct sign_key *key);
bool manifest_is_signed(const struct manifest *manifest);
/* Whether the signature is that of its own public_key. */
bool manifest_is_good(const struct manifest *manifest);

/* Reads the text of a MANIFEST.json of `size` bytes with a NUL behind it, and refuses what none of
 * ours has: other schema, names that lead elsewhere or stand twice, digests that are none, half a
 * signature. `manifest` owns nothing on -1. */
int manifest_parse(struct manifest *manifest, const char *text, size_t size, struct error *err);

#endif
