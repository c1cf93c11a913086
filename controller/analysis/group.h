/* group.h - some hosts of a phase, as if the phase had had no others. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_GROUP_H
#define MUSTER_CONTROLLER_ANALYSIS_GROUP_H

#include <stdbool.h>

#include "controller/result.h"

struct group {
	struct result_phase phase;  /* lends its hosts from the whole one; its cluster is its own */
	struct phase_series series; /* likewise */
	uint32_t *hosts;            /* index of each in the whole phase */
};

/* The hosts h of `phase` with takes[h]. `series` NULL: the group has no window, only a span. */
void group_init(struct group *group, const struct result_phase *phase,
		const struct phase_series *series, const bool *takes);
void group_release(struct group *group);

/* The figures of a host that a finding makes INVALID feed no total: the phase's `cluster` becomes
 * `cluster_partial`, of the other hosts. Runs when all findings stand, and what gates allow has
 * been allowed. */
void group_withhold(struct result *result, const struct result_series *series);

#endif
