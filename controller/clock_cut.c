#include "controller/clock_cut.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Jumps a minute beyond which a clock is unfit, and how many it may have besides. */
#define CUTS_PER_MINUTE 3
#define CUTS_AT_LEAST   8
/* Instants at which a jump is looked for more closely. */
#define CLOSER 6

struct search {
	const struct clock_blocks *blocks;
	const struct clock_sample *samples;
	uint32_t count;
	uint64_t longest_ns; /* from t1 to t4 */
	struct clock_window window;
};

static bool is_possible(struct search *s, struct clock_range range, uint64_t t)
{
	double lo, hi;

	clock_window_set(&s->window, s->blocks, range, t, clock_reach_whole);
	return !s->window.program.above.count || !s->window.program.below.count ||
	       clock_window_values(&s->window, t, &lo, &hi);
}

/* The half that first makes `range` impossible, when taken from its first on; range.end when none
 * does. Up to `after` it is known to be possible. */
static uint32_t first_impossible(struct search *s, struct clock_range range, uint32_t after,
				 uint64_t t)
{
	uint32_t low = after, high = range.end;

	if (is_possible(s, range, t))
		return range.end;
	/* [first, low) is possible, [first, high) is not. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (is_possible(s, (struct clock_range){range.first, middle}, t))
			low = middle;
		else
			high = middle;
	}
	return high - 1;
}

/* Likewise from the last half down, for a range that is impossible. */
static uint32_t last_impossible(struct search *s, struct clock_range range, uint32_t before,
				uint64_t t)
{
	uint32_t low = range.first, high = before;

	/* [low, end) is impossible, [high, end) is not. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (is_possible(s, (struct clock_range){middle, range.end}, t))
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* The last half known to be before a jump and the first known to be after it. */
struct jump {
	uint32_t before, after;
};

static uint64_t jump_middle(const struct search *s, const struct jump *jump)
{
	uint64_t from = s->samples[jump->before / 2].t1, to = s->samples[jump->after / 2].t4;

	return from + (to - from) / 2;
}

/* Makes the jump narrower by what can be proved at t; false: nothing new. */
static bool narrow(struct search *s, struct clock_range segment, struct jump *jump, uint64_t t)
{
	struct clock_range near = clock_blocks_near(s->blocks, segment, t);
	struct jump old = *jump;

	if (jump->before < near.first || jump->after >= near.end ||
	    !is_possible(s, (struct clock_range){near.first, jump->before + 1}, t))
		return false;
	jump->after = first_impossible(s, (struct clock_range){near.first, jump->after + 1},
				       jump->before + 1, t);
	if (jump->after > old.after)
		jump->after = old.after;
	/* What comes after must not contain a jump of its own. */
	near.first = jump->after;
	near.end = first_impossible(s, near, jump->after + 1, t);
	near.first = jump->before;
	if (!is_possible(s, near, t))
		jump->before = last_impossible(s, near, jump->after, t);
	return jump->before != old.before || jump->after != old.after;
}

/* Within the window around t, which has no line. */
static struct jump find_jump(struct search *s, struct clock_range segment, uint64_t t)
{
	struct clock_range near = clock_blocks_near(s->blocks, segment, t);
	struct jump jump = {near.first, near.end - 1};

	narrow(s, segment, &jump, t);
	for (int i = 0; i < CLOSER; i++)
		if (!narrow(s, segment, &jump, jump_middle(s, &jump)))
			break;
	return jump;
}

static uint64_t clamp_to_samples(const struct search *s, struct clock_range halves, uint64_t t)
{
	uint64_t first = s->samples[halves.first / 2].t1;
	uint64_t last = s->samples[(halves.end - 1) / 2].t4;

	return t < first ? first : t > last ? last : t;
}

/* From the second of `from` on, the first whose window has no line. */
static bool has_jump(struct search *s, struct clock_range halves, uint64_t from, uint64_t *t)
{
	for (uint32_t half = halves.first; half < halves.end; half++) {
		uint64_t number = s->samples[half / 2].t1 / CLOCK_BLOCK_NS;
		if (number < from / CLOCK_BLOCK_NS)
			continue;
		*t = clamp_to_samples(s, halves, number * CLOCK_BLOCK_NS + CLOCK_BLOCK_NS / 2);
		if (!is_possible(s, halves, *t))
			return true;
		from = (number + 1) * CLOCK_BLOCK_NS;
	}
	return false;
}

static void split(struct clock_segments *segments, uint32_t index, struct clock_segment left,
		  struct clock_segment right)
{
	segments->items =
		mem_resize(segments->items, (size_t)segments->count + 1, sizeof(*segments->items));
	struct clock_segment *item = &segments->items[index];
	memmove(item + 1, item, (segments->count - index) * sizeof(*item));
	item[0] = left;
	item[1] = right;
	segments->count++;
}

static void split_at_jump(struct clock_segments *segments, uint32_t index, const struct search *s,
			  struct jump jump)
{
	struct clock_segment left = segments->items[index], right = left;

	left.halves.end = jump.before + 1;
	left.end_ns = s->samples[jump.before / 2].t1;
	right.halves.first = jump.after;
	right.begin_ns = s->samples[jump.after / 2].t4;
	split(segments, index, left, right);
}

/* The first sample that was sent at `t` or later. */
static uint32_t first_sent(const struct search *s, uint64_t t)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->samples[middle].t1 < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of the first samples were all back at `t`. */
static uint32_t all_back(const struct search *s, uint64_t t)
{
	uint32_t end = first_sent(s, t);

	for (uint32_t i = end; i > 0 && t - s->samples[i - 1].t1 < s->longest_ns; i--)
		if (s->samples[i - 1].t4 > t)
			end = i - 1;
	return end;
}

/* An exchange under way at the cut belongs to neither side. One that begins within the cut before,
 * which is always the last segment's, makes that longer. */
static void split_at_announced(struct clock_segments *segments, const struct search *s,
			       const struct clock_cut *cut)
{
	struct clock_segment left = segments->items[segments->count - 1], right = left;
	uint64_t after = cut->after_ns > cut->before_ns ? cut->after_ns : cut->before_ns;

	if (segments->count > 1 && cut->before_ns <= left.begin_ns) {
		if (after < right.begin_ns)
			return;
		left = segments->items[--segments->count - 1];
	} else {
		left.halves.end = 2 * all_back(s, cut->before_ns);
		if (left.halves.end < left.halves.first)
			left.halves.end = left.halves.first;
		left.end_ns = cut->before_ns;
	}
	right.halves.first = 2 * first_sent(s, after);
	right.begin_ns = after;
	split(segments, segments->count - 1, left, right);
}

static int compare_cuts(const void *a, const void *b)
{
	const struct clock_cut *x = a, *y = b;

	return (x->before_ns > y->before_ns) - (x->before_ns < y->before_ns);
}

static void cut_announced(struct clock_segments *segments, const struct search *s,
			  const struct clock_cut *announced, uint32_t announced_count)
{
	struct clock_cut *cuts = mem_new(announced_count, sizeof(*cuts));

	if (announced_count)
		memcpy(cuts, announced, announced_count * sizeof(*cuts));
	qsort(cuts, announced_count, sizeof(*cuts), compare_cuts);
	for (uint32_t i = 0; i < announced_count; i++)
		split_at_announced(segments, s, &cuts[i]);
	free(cuts);
}

static uint32_t most_cuts(const struct search *s)
{
	uint64_t minutes =
		s->count ? (s->samples[s->count - 1].t1 - s->samples[0].t1) / (60 * CLOCK_BLOCK_NS)
			 : 0;

	return minutes > s->count ? s->count : CUTS_AT_LEAST + CUTS_PER_MINUTE * (uint32_t)minutes;
}

static struct search search_of(const struct clock_blocks *blocks,
			       const struct clock_sample *samples, uint32_t count)
{
	struct search s = {.blocks = blocks, .samples = samples, .count = count};

	for (uint32_t i = 0; i < count; i++)
		if (samples[i].t4 - samples[i].t1 > s.longest_ns)
			s.longest_ns = samples[i].t4 - samples[i].t1;
	return s;
}

/* Cuts the segments where their samples prove it, from left to right: what lies to the left of a
 * cut is tried again, with one end less. */
static void cut_jumps(struct clock_segments *segments, struct search *s)
{
	uint32_t left = most_cuts(s);
	uint64_t from = 0, t;

	for (uint32_t i = 0; i < segments->count;) {
		struct clock_range *halves = &segments->items[i].halves;
		if (segments->unfit) {
			halves->end = halves->first;
			i++;
		} else if (!has_jump(s, *halves, from, &t)) {
			from = 0;
			i++;
		} else if (left-- > 0) {
			split_at_jump(segments, i, s, find_jump(s, *halves, t));
			from = t;
		} else {
			segments->unfit = true;
		}
	}
}

void clock_cut(struct clock_segments *segments, const struct clock_blocks *blocks,
	       const struct clock_sample *samples, uint32_t count,
	       const struct clock_cut *announced, uint32_t announced_count)
{
	struct search s = search_of(blocks, samples, count);

	*segments =
		(struct clock_segments){.items = mem_new(1, sizeof(*segments->items)), .count = 1};
	segments->items[0] = (struct clock_segment){{0, 2 * count}, 0, UINT64_MAX};
	cut_announced(segments, &s, announced, announced_count);
	cut_jumps(segments, &s);
	clock_window_release(&s.window);
}
