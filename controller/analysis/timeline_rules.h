/* timeline_rules.h - findings on the timelines of a phase: PERIODIC_STALL, PERIODIC_DIP, STEP_DOWN,
 * STEP_UP, NOT_STEADY, STEADINESS_UNKNOWN.
 *
 * The fleet's sum is judged and each host by itself, in the part of the all-active window in which
 * every worker was at work. What the sum shows is one finding of the phase, which says how many
 * hosts show it themselves; what only hosts show is a finding of each, or one for all where there
 * are many. Silent without a window of min_window, and where a host is missing. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_TIMELINE_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_TIMELINE_RULES_H

#include "controller/result.h"

/* How unsteady one host was, by index, or with UINT32_MAX the sum of all: over five equal parts of
 * the window the larger of range and twice the excursion, of the mean. NAN: `lack`, a constant,
 * says why there is no telling; NULL: a host is missing. */
double timeline_rules_steadiness(const struct result *result, const struct result_phase *phase,
				 const struct phase_series *series, uint32_t host,
				 const char **lack);

void timeline_rules_check(struct result *result, const struct result_phase *phase,
			  const struct phase_series *series);

#endif
