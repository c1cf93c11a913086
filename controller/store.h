/* store.h - the run directory: plan.yaml as read, run.json, timeline.csv, junit.xml, clock.bin, and
 * MANIFEST.json with the digest of each.
 *
 * Written under a temporary name beside it, every file synced, then renamed: a reader sees all of
 * it or none. */
#ifndef MUSTER_CONTROLLER_STORE_H
#define MUSTER_CONTROLLER_STORE_H

#include <stdbool.h>

#include "common/bytes.h"
#include "common/error.h"
#include "controller/result.h"
#include "controller/sign.h"

/* Before any host is asked: makes sure that the directory can be made and does not exist, and
 * makes the temporary one. `out` NULL: ./muster-runs/<run>. The path is the caller's to free. */
int store_begin(const char *out, const char *run, const char *plan_path, char **directory,
		struct error *err);

/* Adds a file to the temporary directory. */
int store_add(const char *directory, const char *name, const struct bytes *bytes,
	      struct error *err);
/* Copies a file into the temporary directory, so that nobody else may read it. */
int store_copy_secret(const char *directory, const char *name, const char *from, struct error *err);

/* The names in the temporary directory and its own, onto the disk. */
int store_sync(const char *directory, struct error *err);

/* Writes and renames; the manifest is signed with `key` where that is not NULL. On -1 what was
 * written stays under the temporary name. `spare` (may be NULL) is a file
 * that is of use until the result is on the disk: it is not in the manifest, and goes then. */
int store_finish(const char *directory, const struct result *result,
		 const struct result_series *series, const struct sign_key *key, const char *spare,
		 struct error *err);

/* A result that could not be finished under its own name. */
struct store_rescue {
	const char *directory; /* what there is of it stands under the temporary name of this */
	bool answers;          /* its disk; else nothing there is touched */
	const char *run;
	const struct bytes *plan, *clocks;
	const char *
		secret; /* a file there that is of use still, for nobody else to read; NULL: none */
	const struct result *result;
	const struct result_series *series;
	const struct sign_key *key;
};

/* The whole once more in TMPDIR (/tmp without it), as muster-<run>, and the secret file with it;
 * then the temporary directory is removed. Where that file cannot come along (*has_secret) it stays
 * where it is, with all that is beside it. Answers the directory, the caller's to free; NULL when
 * that failed as well, and nothing was removed. */
char *store_rescue(const struct store_rescue *what, bool *has_secret, struct error *err);

/* Removes the temporary directory: nothing was measured. */
void store_abandon(const char *directory);

#endif
