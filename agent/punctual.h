/* punctual.h - wakes workers at an instant, as punctually as the system lets us.
 *
 * An ordinary thread wakes up to a scheduler's tick late, a few ms, more on a busy host. So for the
 * start, and only for it, a worker sleeps exactly, runs before all ordinary threads (SCHED_FIFO)
 * with its pages kept in memory, wakes a little early and spins on the clock, which it does only
 * where every worker has a processor of its own. What the system refuses is remembered for the
 * report; the start is then less punctual, and that is all. */
#ifndef MUSTER_AGENT_PUNCTUAL_H
#define MUSTER_AGENT_PUNCTUAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/clock_map.h"
#include "agent/platform/platform.h"
#include "proto/messages.h"

#define PUNCTUAL_SPIN_NS (200 * NS_PER_US)

enum punctual_means { PUNCTUAL_MEMORY, PUNCTUAL_SLEEP, PUNCTUAL_FIRST, PUNCTUAL_MEANS };

struct punctual {
	uint64_t spin_ns; /* 0: sleeps only */
	bool has_memory;
	atomic_int refused[PUNCTUAL_MEANS]; /* errno; 0: not refused */
};

/* When all of the phase's memory is there and its `workers` threads are parked; release after the
 * phase. */
void punctual_init(struct punctual *punctual, uint32_t workers);
void punctual_release(struct punctual *punctual);

/* A worker's: sleeps, then spins until the map's start, wherever that moves to meanwhile, and
 * returns before all ordinary threads. False as soon as `stop` is seen, and as an ordinary thread.
 */
bool punctual_wait(struct punctual *punctual, struct clock_map *map, const atomic_bool *stop,
		   struct platform_schedule *before);

/* What was refused, each once, and the spin. */
void punctual_report(const struct punctual *punctual, struct done *done);

#endif
