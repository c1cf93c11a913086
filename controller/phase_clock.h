/* phase_clock.h - puts a phase's start, end and buckets on every host's own clock, and keeps them
 * there while it runs.
 *
 * Bucket k of the phase is [start + k*bucket, start + (k+1)*bucket) on the controller's clock. Each
 * agent gets its borders as instants of its own clock; when what is known of that clock moves by
 * more than its bound allows, new borders from a later bucket on are sent. */
#ifndef MUSTER_CONTROLLER_PHASE_CLOCK_H
#define MUSTER_CONTROLLER_PHASE_CLOCK_H

#include "common/error.h"
#include "controller/fleet.h"

struct phase_clock {
	struct fleet *fleet;
	uint64_t start_ns;  /* controller's clock */
	uint64_t length_ns; /* ramp and runtime; 0: no such end */
	uint64_t bucket_ns;
	uint64_t followed_ns; /* when the borders were last looked at */
};

/* Exchanges with every host in the phase until each is known, and any two within `most_skew_ns` (0:
 * any bound) of each other; at most 10 s. -1 (ERROR_REFUSED) when it cannot be had, naming the
 * widest hosts. Hosts of which nothing is known are lost. */
int phase_clock_arm(struct fleet *fleet, uint64_t most_skew_ns, const volatile int *interrupted,
		    struct error *err);

/* Chooses the start instant, far enough ahead, and sends it to all in the phase. */
void phase_clock_start(struct phase_clock *clock, struct fleet *fleet, uint64_t length_ns,
		       uint64_t bucket_ns);

/* Called again and again until the phase is over: amends the start until shortly before it, then
 * borders. */
void phase_clock_follow(struct phase_clock *clock);

/* A few exchanges after the last bucket, so that it is known as well as the others. */
void phase_clock_tail(struct fleet *fleet);

#endif
