/* host_rules.h - findings between the hosts of a phase, and between the workers of one: OUTLIER,
 * STRAGGLER, STRAGGLER_TAIL.
 *
 * Hosts are held against those of their class only: the same labels, system and file systems. Said
 * of complete phases of at least min_window and 10 s, and of hosts that did 20 times as many
 * operations as they had in flight: fewer are not counted to within the 10 % that matter. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_HOST_RULES_H
#define MUSTER_CONTROLLER_ANALYSIS_HOST_RULES_H

#include "controller/result.h"

/* `series` may be NULL. */
void host_rules_check(struct result *result, const struct result_phase *phase,
		      const struct phase_series *series);

#endif
