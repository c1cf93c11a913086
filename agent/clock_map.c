#include "agent/clock_map.h"

#include <stdlib.h>

#include "common/memory.h"

/* What is further away is no instant of a phase, and sums of a few such do not overflow. */
#define MOST_NS  (UINT64_C(1) << 62)
#define MOST_PPB 100000000 /* 10 % */

/* A start that is moved forward by more than this must leave a look's time. */
#define NEAR_NS (10 * NS_PER_MS)

struct clock_segment {
	struct border border;
	const struct clock_segment *older; /* of an earlier bucket; NULL: none */
	const struct clock_segment *made_before;
};

void clock_map_init(struct clock_map *map, uint64_t width_ns)
{
	*map = (struct clock_map){.width_ns = width_ns, .end_ns = UINT64_MAX};
	pthread_mutex_init(&map->lock, NULL);
}

void clock_map_release(struct clock_map *map)
{
	const struct clock_segment *segment = atomic_load(&map->newest);

	while (segment) {
		const struct clock_segment *next = segment->made_before;
		free((void *)segment);
		segment = next;
	}
	atomic_store(&map->newest, NULL);
	pthread_mutex_destroy(&map->lock);
}

/* ---- writing: the session thread ---- */

static bool is_possible(uint64_t at_ns, uint64_t end_ns, int64_t drift_ppb)
{
	return at_ns < MOST_NS && end_ns < MOST_NS && (!end_ns || end_ns > at_ns) &&
	       drift_ppb <= MOST_PPB && drift_ppb >= -MOST_PPB;
}

/* The segment that says where the bucket before this one begins. */
static const struct clock_segment *find_older(const struct clock_map *map, uint32_t bucket)
{
	const struct clock_segment *segment = atomic_load(&map->newest);

	while (segment && segment->border.from >= bucket)
		segment = segment->older;
	return segment;
}

/* A segment of a bucket that has one already takes its place. The release makes it whole for who
 * sees it. */
static void publish(struct clock_map *map, const struct border *border, uint64_t end_ns)
{
	struct clock_segment *segment = mem_new(1, sizeof(*segment));

	*segment = (struct clock_segment){.border = *border,
					  .older = find_older(map, border->from),
					  .made_before = atomic_load(&map->newest)};
	map->segments++;
	atomic_store(&map->end_ns, end_ns ? end_ns : UINT64_MAX);
	atomic_store_explicit(&map->newest, segment, memory_order_release);
}

bool clock_map_begin(struct clock_map *map, const struct start *start)
{
	struct border border = {.at_ns = start->at_ns, .drift_ppb = start->drift_ppb};

	if (!is_possible(start->at_ns, start->end_ns, start->drift_ppb))
		return false;
	publish(map, &border, start->end_ns);
	return true;
}

static uint64_t between(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static bool has_time(uint64_t at_ns, uint64_t to_ns, uint64_t now_ns)
{
	return now_ns + CLOCK_MAP_START_FIXED_NS <= at_ns &&
	       (to_ns + NEAR_NS >= at_ns ||
		to_ns >= now_ns + CLOCK_MAP_LOOK_NS + CLOCK_MAP_START_FIXED_NS);
}

static bool amend_start(struct clock_map *map, const struct border *to, uint64_t end_ns,
			uint64_t now_ns)
{
	const struct clock_segment *newest = atomic_load(&map->newest);

	pthread_mutex_lock(&map->lock);
	bool taken = !map->is_taken && newest->border.from == 0 &&
		     has_time(newest->border.at_ns, to->at_ns, now_ns);
	if (taken)
		publish(map, to, end_ns);
	pthread_mutex_unlock(&map->lock);
	return taken;
}

/* Also not by a quarter again and again. */
static bool is_near(const struct clock_map *map, const struct border *to, uint64_t end_ns)
{
	const struct border *newest = &atomic_load(&map->newest)->border;
	const struct border *older = &find_older(map, to->from)->border;
	uint64_t width = map->width_ns;

	return between(border_of(newest, to->from, width), to->at_ns) < width / 4 &&
	       to->at_ns > border_of(older, to->from - 1, width) + width / 2 &&
	       (!end_ns || between(clock_map_end(map), end_ns) < width / 4);
}

static bool amend_border(struct clock_map *map, const struct border *to, uint64_t end_ns,
			 uint64_t now_ns)
{
	const struct border *newest = &atomic_load(&map->newest)->border;
	uint64_t present = clock_map_find(map, now_ns).bucket;

	if (to->from < present + 2 || to->from < newest->from ||
	    to->from - newest->from > MOST_NS / map->width_ns)
		return false;
	bool taken = is_near(map, to, end_ns);
	if (taken)
		publish(map, to, end_ns);
	return taken;
}

bool clock_map_amend(struct clock_map *map, const struct amend *amend, uint64_t now_ns)
{
	struct border to = {
		.from = amend->bucket, .at_ns = amend->at_ns, .drift_ppb = amend->drift_ppb};
	bool has_end = clock_map_end(map) != UINT64_MAX;

	if (!is_possible(amend->at_ns, amend->end_ns, amend->drift_ppb) ||
	    has_end != (amend->end_ns != 0) || map->segments >= CLOCK_MAP_MOST)
		return false;
	return to.from ? amend_border(map, &to, amend->end_ns, now_ns)
		       : amend_start(map, &to, amend->end_ns, now_ns);
}

/* ---- reading ---- */

uint64_t clock_map_start(const struct clock_map *map)
{
	const struct clock_segment *segment =
		atomic_load_explicit(&map->newest, memory_order_acquire);

	while (segment->older)
		segment = segment->older;
	return segment->border.at_ns;
}

uint64_t clock_map_take_start(struct clock_map *map)
{
	pthread_mutex_lock(&map->lock);
	map->is_taken = true;
	uint64_t at = clock_map_start(map);
	pthread_mutex_unlock(&map->lock);
	return at;
}

/* How many buckets of this segment have begun before or at `at_ns`, less one; at most `most`. The
 * quotient is off by rounding, so the borders themselves decide. */
static uint32_t count_buckets(const struct border *border, uint64_t width_ns, uint64_t at_ns,
			      uint32_t most)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t since = at_ns > border->at_ns ? at_ns - border->at_ns : 0;
	wide even = (wide)since * NS_PER_S / (uint64_t)((int64_t)NS_PER_S + border->drift_ppb);
	wide guess = even / width_ns;
	uint32_t count = guess > most ? most : (uint32_t)guess;

	while (count > 0 && border_of(border, border->from + count, width_ns) > at_ns)
		count--;
	while (count < most && border_of(border, border->from + count + 1, width_ns) <= at_ns)
		count++;
	return count;
}

struct clock_bucket clock_map_find(const struct clock_map *map, uint64_t at_ns)
{
	const struct clock_segment *segment =
		atomic_load_explicit(&map->newest, memory_order_acquire);
	const struct clock_segment *next = NULL;

	while (at_ns < segment->border.at_ns && segment->older) {
		next = segment;
		segment = segment->older;
	}
	const struct border *border = &segment->border;
	uint32_t last = next ? next->border.from - 1 : UINT32_MAX;
	uint32_t bucket =
		border->from + count_buckets(border, map->width_ns, at_ns, last - border->from);
	uint64_t from = border_of(border, bucket, map->width_ns);
	uint64_t to = bucket < last ? border_of(border, bucket + 1, map->width_ns)
		      : next        ? next->border.at_ns
				    : UINT64_MAX;
	return (struct clock_bucket){.bucket = bucket, .from_ns = from, .length_ns = to - from};
}
