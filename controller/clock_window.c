#include "controller/clock_window.h"

#include <stdlib.h>

#include "common/memory.h"

const struct clock_reach clock_reach_whole = {-CLOCK_WINDOW_BLOCKS, CLOCK_WINDOW_BLOCKS};
const struct clock_reach clock_reach_brief = {-2, 2};

/* A fact before it is made relative to something. */
struct stamped {
	uint64_t at_ns;
	int64_t value_ns;
};

enum side { ABOVE, BELOW };

struct block {
	uint64_t number;     /* of t1, in CLOCK_BLOCK_NS */
	uint32_t first, end; /* samples */
	uint32_t facts[2], facts_end[2];
};

struct clock_blocks {
	const struct clock_sample *samples;
	uint32_t count;
	struct block *blocks;
	uint32_t blocks_count;
	struct stamped *facts[2]; /* the corners of each block */
};

/* Differences wrap: offsets may have either sign. */
static struct stamped stamped(const struct clock_sample *s, enum side side)
{
	if (side == ABOVE)
		return (struct stamped){s->t1, (int64_t)(s->t2 - s->t1 + s->upper_error_ns)};
	return (struct stamped){s->t4, (int64_t)(s->t4 - s->t3 + s->lower_error_ns)};
}

static struct clock_fact fact(struct stamped s, uint64_t origin_ns, int64_t origin_value,
			      uint32_t index)
{
	return (struct clock_fact){(double)(int64_t)(s.at_ns - origin_ns),
				   (double)(int64_t)((uint64_t)s.value_ns - (uint64_t)origin_value),
				   index};
}

static void reserve(struct clock_window *window, uint32_t facts)
{
	if (facts <= window->facts_capacity)
		return;
	window->facts_capacity = facts * 2;
	window->facts = mem_resize(window->facts, window->facts_capacity, sizeof(*window->facts));
}

/* What is no corner of its own block is none of a window either. */
static void reduce(struct clock_blocks *blocks, struct block *block, enum side side,
		   struct clock_window *scratch, uint32_t *used)
{
	const struct clock_sample *samples = &blocks->samples[block->first];
	struct stamped origin = stamped(samples, side);
	uint32_t count = block->end - block->first;

	reserve(scratch, count);
	for (uint32_t i = 0; i < count; i++)
		scratch->facts[i] =
			fact(stamped(&samples[i], side), origin.at_ns, origin.value_ns, i);
	clock_hull_set(&scratch->program.above, scratch->facts, count);
	block->facts[side] = *used;
	for (uint32_t i = 0; i < scratch->program.above.count; i++)
		blocks->facts[side][(*used)++] =
			stamped(&samples[scratch->program.above.corners[i].fact.index], side);
	block->facts_end[side] = *used;
}

static void divide(struct clock_blocks *blocks)
{
	struct block *block = NULL;

	for (uint32_t i = 0; i < blocks->count; i++) {
		uint64_t number = blocks->samples[i].t1 / CLOCK_BLOCK_NS;
		if (!block || number != block->number) {
			block = &blocks->blocks[blocks->blocks_count++];
			*block = (struct block){.number = number, .first = i};
		}
		block->end = i + 1;
	}
}

struct clock_blocks *clock_blocks_new(const struct clock_sample *samples, uint32_t count)
{
	struct clock_blocks *blocks = mem_new(1, sizeof(*blocks));
	struct clock_window scratch = {0};
	uint32_t used[2] = {0};

	*blocks = (struct clock_blocks){.samples = samples, .count = count};
	blocks->blocks = mem_new(count, sizeof(*blocks->blocks));
	divide(blocks);
	blocks->blocks = mem_resize(blocks->blocks, (size_t)blocks->blocks_count + 1,
				    sizeof(*blocks->blocks));
	for (enum side side = ABOVE; side <= BELOW; side++) {
		blocks->facts[side] = mem_new(count, sizeof(*blocks->facts[side]));
		for (uint32_t i = 0; i < blocks->blocks_count; i++)
			reduce(blocks, &blocks->blocks[i], side, &scratch, &used[side]);
	}
	clock_window_release(&scratch);
	return blocks;
}

void clock_blocks_free(struct clock_blocks *blocks)
{
	if (!blocks)
		return;
	free(blocks->facts[ABOVE]);
	free(blocks->facts[BELOW]);
	free(blocks->blocks);
	free(blocks);
}

/* The first block of at least that number. */
static uint32_t find(const struct clock_blocks *blocks, uint64_t number)
{
	uint32_t low = 0, high = blocks->blocks_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (blocks->blocks[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Blocks first to end - 1. */
struct stretch {
	uint32_t first, end;
};

static uint64_t shift(uint64_t number, int by)
{
	return by < 0 && number < (uint64_t)-by ? 0 : number + (uint64_t)by;
}

static struct stretch around(const struct clock_blocks *blocks, uint64_t t,
			     struct clock_reach reach)
{
	uint64_t number = t / CLOCK_BLOCK_NS;

	return (struct stretch){find(blocks, shift(number, reach.from)),
				find(blocks, shift(number, reach.to + 1))};
}

/* The halves of a block on one side that are in the range, or its corners when all are. */
static uint32_t gather(struct clock_window *window, const struct clock_blocks *blocks,
		       const struct block *block, struct clock_range range, enum side side,
		       uint32_t count)
{
	bool whole = 2 * block->first >= range.first && 2 * block->end <= range.end;
	uint32_t first = whole ? block->facts[side] : block->first;
	uint32_t end = whole ? block->facts_end[side] : block->end;
	uint64_t sign = side == ABOVE ? 1 : UINT64_MAX;

	reserve(window, count + end - first);
	for (uint32_t i = first; i < end; i++) {
		uint32_t half = 2 * i + (uint32_t)side;
		if (!whole && (half < range.first || half >= range.end))
			continue;
		struct stamped s =
			whole ? blocks->facts[side][i] : stamped(&blocks->samples[i], side);
		window->facts[count++] = fact(s, window->origin_ns,
					      (int64_t)(sign * (uint64_t)window->origin_value), 0);
	}
	return count;
}

static void set_side(struct clock_window *window, const struct clock_blocks *blocks,
		     struct stretch stretch, struct clock_range range, enum side side)
{
	uint32_t count = 0;

	for (uint32_t i = stretch.first; i < stretch.end; i++)
		count = gather(window, blocks, &blocks->blocks[i], range, side, count);
	clock_hull_set(side == ABOVE ? &window->program.above : &window->program.below,
		       window->facts, count);
}

void clock_window_set(struct clock_window *window, const struct clock_blocks *blocks,
		      struct clock_range range, uint64_t t, struct clock_reach reach)
{
	struct stretch stretch = around(blocks, t, reach);

	window->origin_ns = t / CLOCK_BLOCK_NS * CLOCK_BLOCK_NS;
	window->origin_value = 0;
	window->program.flattest = window->program.steepest = (struct clock_pair){NULL, NULL};
	if (range.first / 2 < blocks->count)
		window->origin_value = stamped(&blocks->samples[range.first / 2], ABOVE).value_ns;
	set_side(window, blocks, stretch, range, ABOVE);
	set_side(window, blocks, stretch, range, BELOW);
}

void clock_window_release(struct clock_window *window)
{
	clock_hull_release(&window->program.above);
	clock_hull_release(&window->program.below);
	free(window->facts);
	*window = (struct clock_window){0};
}

bool clock_window_lines(struct clock_window *window, uint64_t t, struct clock_lines *lines)
{
	return clock_lines_at(&window->program, (double)(int64_t)(t - window->origin_ns), lines);
}

struct clock_range clock_blocks_near(const struct clock_blocks *blocks, struct clock_range range,
				     uint64_t t)
{
	struct stretch stretch = around(blocks, t, clock_reach_whole);
	uint32_t first = stretch.first < stretch.end ? 2 * blocks->blocks[stretch.first].first : 0;
	uint32_t end = stretch.first < stretch.end ? 2 * blocks->blocks[stretch.end - 1].end : 0;

	if (first < range.first)
		first = range.first;
	if (end > range.end)
		end = range.end;
	return (struct clock_range){first, end > first ? end : first};
}

bool clock_window_values(struct clock_window *window, uint64_t t, double *lo, double *hi)
{
	return clock_lines_values(&window->program, (double)(int64_t)(t - window->origin_ns), lo,
				  hi);
}
