/* store.h - the run directory: plan.yaml as read, run.json, timeline.csv.
 *
 * Written under a temporary name beside it, synced, then renamed: a reader sees all of it or none.
 */
#ifndef MUSTER_CONTROLLER_STORE_H
#define MUSTER_CONTROLLER_STORE_H

#include "common/bytes.h"
#include "common/error.h"
#include "controller/result.h"

/* Before any host is asked: makes sure that the directory can be made and does not exist, and
 * makes the temporary one. `out` NULL: ./muster-runs/<run>. The path is the caller's to free. */
int store_begin(const char *out, const char *run, const char *plan_path, char **directory,
		struct error *err);

/* Adds a file to the temporary directory. */
int store_add(const char *directory, const char *name, const struct bytes *bytes,
	      struct error *err);

/* Writes and renames. On -1 what was written stays under the temporary name, which the text tells.
 */
int store_finish(const char *directory, const struct result *result,
		 const struct result_series *series, struct error *err);

/* Removes the temporary directory: nothing was measured. */
void store_abandon(const char *directory);

#endif
