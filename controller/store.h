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
/* That nobody else may read. */
int store_add_secret(const char *directory, const char *name, const struct bytes *bytes,
		     struct error *err);

/* The names in the temporary directory, onto the disk. */
int store_sync(const char *directory, struct error *err);

/* Writes and renames; the manifest is signed with `key` where that is not NULL. On -1 what was
 * written stays under the temporary name, which the text tells. `spare` (may be NULL) is a file
 * that is of use until the result is on the disk: it is not in the manifest, and goes then. */
int store_finish(const char *directory, const struct result *result,
		 const struct result_series *series, const struct sign_key *key, const char *spare,
		 struct error *err);

/* After a failure of those: the whole once more in TMPDIR (/tmp without it), as muster-<run>; then
 * the temporary one is removed, unless its disk no longer `answers`: then nothing there is touched
 * but that the plan is read. Answers the directory, the caller's to free; NULL when that failed as
 * well. */
char *store_rescue(const char *directory, bool answers, const char *run, const struct bytes *clocks,
		   const struct result *result, const struct result_series *series,
		   const struct sign_key *key, struct error *err);

/* Removes the temporary directory: nothing was measured. */
void store_abandon(const char *directory);

#endif
