/* run_timeline.h - the timeline of a run that was written, read back: timeline.csv. */
#ifndef MUSTER_CONTROLLER_RUN_TIMELINE_H
#define MUSTER_CONTROLLER_RUN_TIMELINE_H

#include "common/error.h"
#include "controller/result.h"

/* Series of all phases, hosts and targets of a result, empty; for foreign_result_release. */
void run_timeline_init(const struct result *result, struct result_series *series);

/* Fills them. -1 where a line does not parse or names what the result has not, or where those of a
 * host that came to its end do not add up to what the result says of it; the series are to be
 * released either way. */
int run_timeline_parse(struct result *result, struct result_series *series, const char *bytes,
		       size_t size, struct error *err);

#endif
