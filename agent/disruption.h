/* disruption.h - what happened to this host's clocks between two looks at them.
 *
 * gap: we woke over 20 ms after the moment that was planned. suspend: the host slept. step: the
 * wall clock was set, or the base clock itself jumped, neither of which anything that slews a clock
 * can explain. frequency: the base clock was told to run at a rate that differs by more than 1 ppm
 * (amount_ns is that difference in ppb). A function of what is read and of nothing else. */
#ifndef MUSTER_AGENT_DISRUPTION_H
#define MUSTER_AGENT_DISRUPTION_H

#include "agent/platform/platform.h"
#include "proto/messages.h"

/* The last looks: at the timer, at the others (which asks for a reading that is sharp enough), and
 * the rate of which was told last. */
struct disruption_judge {
	uint64_t seen_base_ns;
	struct platform_clocks before;
	int64_t rate_ppb;
};

#define DISRUPTION_MOST 4 /* of one look */

void disruption_judge_init(struct disruption_judge *judge, const struct platform_clocks *now);

/* `planned_ns`: of the timer's clock, when we wanted to look. Answers how many. In a disruption
 * from_ns and to_ns are what the base clock showed at the looks before and after; where it jumped
 * back, from_ns may be the larger. */
uint32_t disruption_judge(struct disruption_judge *judge, const struct platform_clocks *now,
			  uint64_t planned_ns, struct disruption out[DISRUPTION_MOST]);

#endif
