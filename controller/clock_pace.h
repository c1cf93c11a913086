/* clock_pace.h - when the next burst of clock exchanges with a host is due, and how long it is.
 *
 * A host begins with the join's three long bursts, whatever the schedule but off; hosts are
 * staggered by their share of the period. Time is handed in. */
#ifndef MUSTER_CONTROLLER_CLOCK_PACE_H
#define MUSTER_CONTROLLER_CLOCK_PACE_H

#include <stdint.h>

#include "controller/clock_exchange.h"

#define CLOCK_PACE_NEVER UINT64_MAX

struct clock_pace {
	uint32_t host, hosts;
	enum clock_schedule schedule;
	uint32_t joined; /* bursts of the join that were taken */
	uint64_t next_ns;
};

/* A host that joins. */
void clock_pace_start(struct clock_pace *pace, uint32_t host, uint32_t hosts,
		      enum clock_schedule schedule, uint64_t now_ns);

/* Another schedule holds from now on; the one that holds changes nothing. To join joins again. */
void clock_pace_change(struct clock_pace *pace, enum clock_schedule schedule, uint64_t now_ns);

/* How many pings are due in a burst now, 0: none yet. What is due is so once. */
uint32_t clock_pace_take(struct clock_pace *pace, uint64_t now_ns);

#endif
