/* load_findings.h - whether the load was what the plan asked for. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_LOAD_FINDINGS_H
#define MUSTER_CONTROLLER_ANALYSIS_LOAD_FINDINGS_H

#include "controller/result.h"

/* Below so much of the rate asked for it was not reached: SNIA's limit for an achieved load. */
#define LOAD_RATE_REACHED 0.95

/* RATE_NOT_REACHED: a target of a phase with a rate moved less. Its response times are those of
 * a queue that grew for as long as the phase lasted. */
void load_findings_compute(struct result *result);

#endif
