/* store_again.h - a run directory that is taken up again: of a run that was killed
 * (`<run>.partial`), or of one that ended and left something to collect (`<run>` with a
 * journal.bin). Either way the work is done in `<run>.partial`, and the result becomes `<run>`. */
#ifndef MUSTER_CONTROLLER_STORE_AGAIN_H
#define MUSTER_CONTROLLER_STORE_AGAIN_H

#include <stdbool.h>

#include "common/bytes.h"
#include "common/error.h"

struct store_again {
	char *directory;   /* without .partial; as store_begin answers it */
	bool has_ended;    /* there is a result already, which store_again_take puts aside */
	struct bytes plan; /* plan.yaml */
};

/* Finds the run by either name; -1 (ERROR_USAGE) where there is no journal. Changes nothing. */
int store_again_find(struct store_again *again, const char *run, struct error *err);
void store_again_release(struct store_again *again);

/* Why `run`, by either name, has no result yet, and what brings it: a run under way, or one that
 * did not come to its end. NULL for anything else; the caller's to free. */
char *store_again_unfinished(const char *run);

/* Makes `<run>.partial` what it is at the beginning of a run, plan.yaml and journal.bin alone. */
int store_again_begin(const struct store_again *again, struct error *err);

/* Right before store_finish: a result that stands in the way becomes `<run>.before-1`, or the next
 * number that is free. Answers that name, the caller's to free; NULL: there was none. */
char *store_again_take(const struct store_again *again, struct error *err);

/* Where a run under way has its files; the caller's to free. */
char *store_again_partial(const char *directory);

#endif
