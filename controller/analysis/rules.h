/* rules.h - the rules that read a result as a whole: its timelines, its hosts side by side, and
 * phases against each other. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_RULES_H

#include "controller/result.h"

/* Adds findings; `series` may be NULL, then nothing is said of timelines. */
void rules_compute(struct result *result, const struct result_series *series);

#endif
