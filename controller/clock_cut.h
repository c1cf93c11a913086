/* clock_cut.h - where an agent's clock has jumped: samples that no line fits.
 *
 * Every second's window is tried. Where one has no line, its halves from the left are taken up to
 * the first with which there is none (the jump came before that half was stamped), and from the
 * right likewise (it came after): both are proofs, and the halves in between are left out. Each
 * proof is tried at instants closer and closer to the jump, where it is sharpest. What it takes for
 * granted: two jumps around a single exchange look like one within it. */
#ifndef MUSTER_CONTROLLER_CLOCK_CUT_H
#define MUSTER_CONTROLLER_CLOCK_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/clock_window.h"

/* Halves that one line may fit, and the controller's instants at which it is known to hold. */
struct clock_segment {
	struct clock_range halves;
	uint64_t begin_ns, end_ns;
};

struct clock_segments {
	struct clock_segment *items; /* free it */
	uint32_t count;
	bool unfit; /* more jumps than a clock may have: the last segment has no halves */
};

/* Cuts at what was announced, then wherever the samples prove a jump. */
void clock_cut(struct clock_segments *segments, const struct clock_blocks *blocks,
	       const struct clock_sample *samples, uint32_t count,
	       const struct clock_cut *announced, uint32_t announced_count);

#endif
