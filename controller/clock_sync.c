#include "controller/clock_sync.h"

#include <stddef.h>

#define DRIFT_PPM 500

static uint32_t kept(const struct clock_sync *sync)
{
	return sync->exchanges < CLOCK_SYNC_KEPT ? sync->exchanges : CLOCK_SYNC_KEPT;
}

bool clock_sync_add(struct clock_sync *sync, uint64_t t1, uint64_t t2, uint64_t t3, uint64_t t4)
{
	if (t4 < t1 || t3 < t2 || t3 - t2 > t4 - t1)
		return false;
	/* Differences of two clocks: their halves are taken apart so that nothing overflows. */
	int64_t there = (int64_t)(t2 - t1), back = (int64_t)(t3 - t4);
	sync->kept[sync->exchanges++ % CLOCK_SYNC_KEPT] = (struct clock_sync_exchange){
		.offset_ns = there + (back - there) / 2,
		.rtt_ns = (t4 - t1) - (t3 - t2),
		.at_ns = t4,
	};
	return true;
}

static uint64_t bound_of(const struct clock_sync_exchange *exchange, uint64_t now_ns)
{
	uint64_t age = now_ns > exchange->at_ns ? now_ns - exchange->at_ns : 0;
	return exchange->rtt_ns / 2 + 1 + age / 1000000 * DRIFT_PPM;
}

bool clock_sync_estimate(const struct clock_sync *sync, uint64_t now_ns, int64_t *offset_ns,
			 uint64_t *bound_ns)
{
	const struct clock_sync_exchange *best = NULL;

	for (uint32_t i = 0; i < kept(sync); i++)
		if (!best || bound_of(&sync->kept[i], now_ns) < bound_of(best, now_ns))
			best = &sync->kept[i];
	if (!best)
		return false;
	*offset_ns = best->offset_ns;
	*bound_ns = bound_of(best, now_ns);
	return true;
}

uint64_t clock_sync_slowest(const struct clock_sync *sync)
{
	uint64_t slowest = 0;

	for (uint32_t i = 0; i < kept(sync); i++)
		if (sync->kept[i].rtt_ns > slowest)
			slowest = sync->kept[i].rtt_ns;
	return slowest;
}
