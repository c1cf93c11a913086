#include "agent/pace.h"

#include "common/clock.h"

__extension__ typedef unsigned __int128 wide;

void pace_init(struct pace *pace, const struct phase *phase, uint32_t worker)
{
	uint64_t rate = phase->rate_bytes ? phase->rate_bytes : phase->rate_operations;

	*pace = (struct pace){.is_on = rate > 0, .is_by_bytes = phase->rate_bytes > 0};
	if (!rate)
		return;
	wide unit = (((wide)NS_PER_S * phase->workers) << PACE_BITS) / rate;
	pace->unit = unit > UINT64_MAX ? UINT64_MAX : (uint64_t)unit;
	/* A block's worth of a round of all workers, of which this one is the worker-th. */
	wide round = (wide)pace->unit * (pace->is_by_bytes ? phase->block_size : 1);
	pace->turn_ns =
		(uint64_t)((round >> PACE_BITS) / phase->workers * (phase->workers - 1 - worker));
	pace->is_first = true;
}

void pace_begin(struct pace *pace, uint64_t start_ns)
{
	pace->due_ns += start_ns;
}

uint64_t pace_take(struct pace *pace, uint64_t length)
{
	uint64_t due = pace->due_ns;
	wide cost = (wide)pace->unit * (pace->is_by_bytes ? length : 1) + pace->due_rest;

	pace->due_ns += (uint64_t)(cost >> PACE_BITS);
	pace->due_rest = (uint32_t)cost & ((1U << PACE_BITS) - 1);
	if (pace->is_first) /* from here on it has its turn */
		pace->due_ns -= pace->turn_ns < pace->due_ns - due ? pace->turn_ns : 0;
	pace->is_first = false;
	return due;
}
