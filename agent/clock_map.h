/* clock_map.h - where the buckets of a phase lie on this agent's clock, and its end.
 *
 * The controller's even grid, put onto this clock by an anchor and a drift (proto/border.h), and by
 * amendments, each an anchor that holds from its bucket on. One border ends a bucket and begins the
 * next, so there is neither gap nor overlap whatever the mapping. The session thread writes,
 * workers read without a lock: what was published is never changed, only followed by more. */
#ifndef MUSTER_AGENT_CLOCK_MAP_H
#define MUSTER_AGENT_CLOCK_MAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "proto/border.h"
#include "proto/messages.h"

/* Until so long before it the start may still be moved. */
#define CLOCK_MAP_START_FIXED_NS (50 * NS_PER_MS)
/* Who waits for the start looks at least so often whether it has moved, and once more so long
 * before it. */
#define CLOCK_MAP_LOOK_NS (100 * NS_PER_MS)
#define CLOCK_MAP_TAKE_NS (40 * NS_PER_MS)
/* Amendments of one phase: one a second for 18 hours. */
#define CLOCK_MAP_MOST 65536

struct clock_segment;

struct clock_map {
	uint64_t width_ns;
	_Atomic(const struct clock_segment *) newest;
	_Atomic uint64_t end_ns; /* UINT64_MAX: there is none */
	uint32_t segments;       /* the session thread's */
	pthread_mutex_t lock;    /* of the start, before it */
	bool is_taken;           /* somebody relies on the start: it stays */
};

/* A bucket as [from_ns, from_ns + length_ns). */
struct clock_bucket {
	uint32_t bucket;
	uint64_t from_ns, length_ns;
};

void clock_map_init(struct clock_map *map, uint64_t width_ns);
void clock_map_release(struct clock_map *map);

/* The map from the controller's message, once; before it nothing below may be called. False when
 * its instants are impossible, and nothing was set. */
bool clock_map_begin(struct clock_map *map, const struct start *start);

/* Takes an amendment, or not: of the start before it is near or anybody's; of a border at least two
 * buckets ahead of `now_ns` by less than a quarter of a bucket. An end stays an end, and moves no
 * further than a border may. */
bool clock_map_amend(struct clock_map *map, const struct amend *amend, uint64_t now_ns);

/* When bucket 0 begins, as far as known; and from now on for good. */
uint64_t clock_map_start(const struct clock_map *map);
uint64_t clock_map_take_start(struct clock_map *map);

/* The bucket that `at_ns` lies in; what is before the start is in bucket 0. */
struct clock_bucket clock_map_find(const struct clock_map *map, uint64_t at_ns);

/* No submit from then on. */
static inline uint64_t clock_map_end(const struct clock_map *map)
{
	return atomic_load_explicit(&map->end_ns, memory_order_relaxed);
}

#endif
