/* clock_window.h - the hulls of what was exchanged near an instant.
 *
 * Each sample is two facts, a half each: half 2i, "theta(t1) <= t2 - t1 + error", is told by the
 * agent's stamp t2, half 2i+1, "theta(t4) >= t3 - t4 - error", by t3. The agent's clock takes these
 * stamps one after the other, so that a step lies between two halves: those before it hold for the
 * line before, those after for the line after, even when it happened in mid-exchange. Ranges are
 * therefore of halves.
 *
 * A window is whole seconds of t1: that of the instant and some to each side, so that all instants
 * of a second share it. The corners of each second are found once, and a window's among those. */
#ifndef MUSTER_CONTROLLER_CLOCK_WINDOW_H
#define MUSTER_CONTROLLER_CLOCK_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/clock_fit.h"
#include "controller/clock_lines.h"

#define CLOCK_BLOCK_NS UINT64_C(1000000000)
/* The window, in blocks to each side. */
#define CLOCK_WINDOW_BLOCKS ((int)(CLOCK_FIT_WINDOW_NS / CLOCK_BLOCK_NS))

struct clock_blocks;

/* Of samples in order of t1, which it lends. */
struct clock_blocks *clock_blocks_new(const struct clock_sample *samples, uint32_t count);
void clock_blocks_free(struct clock_blocks *blocks);

/* Halves first to end - 1. */
struct clock_range {
	uint32_t first, end;
};

/* Zero before use. */
struct clock_window {
	struct clock_program program;
	uint64_t origin_ns;   /* that the hulls' times are relative to */
	int64_t origin_value; /* likewise of their values */
	struct clock_fact *facts;
	uint32_t facts_capacity;
};

/* Blocks counted from that of t: 0 to 0 is this one alone. */
struct clock_reach {
	int from, to;
};
extern const struct clock_reach clock_reach_whole, /* CLOCK_FIT_WINDOW_NS */
	clock_reach_brief;                         /* about 2.5 s */

/* Takes those halves of the range that were sent in these blocks. */
void clock_window_set(struct clock_window *window, const struct clock_blocks *blocks,
		      struct clock_range range, uint64_t t, struct clock_reach reach);
void clock_window_release(struct clock_window *window);
bool clock_window_lines(struct clock_window *window, uint64_t t, struct clock_lines *lines);
bool clock_window_values(struct clock_window *window, uint64_t t, double *lo, double *hi);

/* The part of the range that the whole window around t takes. */
struct clock_range clock_blocks_near(const struct clock_blocks *blocks, struct clock_range range,
				     uint64_t t);

#endif
