/* sweep_rules.h - what a sweep says: KNEE, FLAT_SWEEP, FEW_POINTS; SHARED_LIMIT and
 * GENERATOR_MAY_LIMIT of members; NUMA_EFFECT, NUMA_NODE_CONTRADICTED; and where its points are not
 * to be compared at all: TOO_SHORT, UNEQUAL_VOLUME, SWEEP_INVALID. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_SWEEP_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_SWEEP_RULES_H

#include "controller/result.h"

/* Looks at result->facts->sweeps. */
void sweep_rules_check(struct result *result);

#endif
