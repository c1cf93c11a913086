/* inspect.h - `muster fleet`: what the hosts of a plan are, and how well their clocks are known. */
#ifndef MUSTER_CONTROLLER_INSPECT_H
#define MUSTER_CONTROLLER_INSPECT_H

#include "controller/options.h"
#include "controller/plan.h"

/* Leases every host, exchanges clock stamps for INSPECT_NS, prints a table to stdout, lets them go.
 * No I/O is asked for. Answers the program's exit code. */
#define INSPECT_NS UINT64_C(5000000000)
int inspect_execute(const struct options *options, struct plan *plan);

#endif
