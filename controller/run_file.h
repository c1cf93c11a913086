/* run_file.h - a run that was written, read back: run.json.
 *
 * A file is anybody's: what no run writes is refused with its place. Of another build's, keys that
 * are not known here are left out, members that were not there then are taken as never told, and
 * OTHER_BUILD says which; what no figure can do without, and another schema, is refused. Timelines
 * and histograms are not in it. */
#ifndef MUSTER_CONTROLLER_RUN_FILE_H
#define MUSTER_CONTROLLER_RUN_FILE_H

#include <stddef.h>

#include "common/error.h"
#include "controller/result.h"

/* Of a run directory, or of a run.json by itself. The result owns its plan. On -1 it owns nothing:
 * ERROR_SYSTEM when it cannot be read, ERROR_USAGE when it is none. */
int run_file_read(struct result *result, const char *path, struct error *err);

/* The same of `size` bytes with a NUL behind them. */
int run_file_parse(struct result *result, const char *text, size_t size, struct error *err);

/* Path of another file of the run, whether `path` is its directory or its run.json; the caller's.
 */
char *run_file_beside(const char *path, const char *name);

#endif
