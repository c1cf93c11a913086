/* run.h - the life of a run: from a checked plan to a report and an exit code. */
#ifndef MUSTER_CONTROLLER_RUN_H
#define MUSTER_CONTROLLER_RUN_H

#include "common/error.h"
#include "controller/journal_read.h"
#include "controller/options.h"
#include "controller/plan.h"
#include "controller/store_again.h"

/* Measures, prints the report to stdout, writes the run directory. Answers the program's exit
 * code; errors are logged. SIGINT and SIGTERM stop the load, and what was measured is written. */
int run_execute(const struct options *options, struct plan *plan);

/* The same for a run that did not come to its end: what it has of whole trials stands, the others
 * are run. `plan` is that of its directory, `locks` holds its journals. */
int run_again(const struct options *options, struct plan *plan, const struct store_again *again,
	      const struct journal_content *before, struct journal_locks *locks);

#endif
