/* clock_findings.h - what the clocks say about a result: CLOCK_STEP, SUSPEND_DETECTED,
 * CLOCK_UNCERTAIN, START_SKEW.
 */
#ifndef MUSTER_CONTROLLER_ANALYSIS_CLOCK_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_CLOCK_FINDINGS_H

#include "controller/result.h"

/* Adds findings for every phase; runs after describe_clocks. */
void clock_findings_compute(struct result *result);

#endif
