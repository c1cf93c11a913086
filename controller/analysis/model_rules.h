/* model_rules.h - results held against what the hardware can do: EXCEEDS_PHYSICAL, BELOW_MODEL,
 * LINK_DEGRADED, CONTROLLER_SLOW.
 *
 * Over 1.10 of the bound no hardware moved it: cache, compression or a fault of counting. Under
 * half of it, in a sequential phase with 16 I/Os in flight, something is in the way. The same
 * targets on another controller under 0.8 of the best: it is the controller. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_MODEL_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_MODEL_RULES_H

#include "controller/result.h"

/* EXCEEDS_PHYSICAL: before rules that ask whether a phase is sound. */
void model_rules_exceeding(struct result *result);

/* The rest: after all that makes a phase INVALID. */
void model_rules_check(struct result *result);

#endif
