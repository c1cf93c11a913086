/* run.h - the life of a run: from a checked plan to a report and an exit code. */
#ifndef MUSTER_CONTROLLER_RUN_H
#define MUSTER_CONTROLLER_RUN_H

#include "common/error.h"
#include "controller/options.h"
#include "controller/plan.h"

/* Measures, prints the report to stdout, writes the run directory. Answers the program's exit
 * code; errors are logged. SIGINT and SIGTERM stop the load, and what was measured is written. */
int run_execute(const struct options *options, struct plan *plan);

#endif
