/* latency_rules.h - whether the generator kept the storage busy: GENERATOR_MAY_LIMIT.
 *
 * Little's law: operations in flight = rate x time of each. Where that is under 0.95 of what a
 * phase keeps in flight, workers spent the rest of the time on something else: making data,
 * comparing it, waiting for a processor. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_LATENCY_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_LATENCY_RULES_H

#include "controller/result.h"

#define LITTLE_LEAST 0.95

/* In flight by Little's law: operations/s times the mean latency. */
static inline double little_in_flight(double per_s, double mean_ns)
{
	return per_s * mean_ns / 1e9;
}

/* Looks at phases whose histograms are there. */
void latency_rules_check(struct result *result, const struct result_series *series);

#endif
