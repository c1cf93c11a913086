/* clock_view.h - what one segment says about an instant, in whole ns. */
#ifndef MUSTER_CONTROLLER_CLOCK_VIEW_H
#define MUSTER_CONTROLLER_CLOCK_VIEW_H

#include <stdint.h>

#include "controller/clock_cut.h"
#include "controller/clock_fit.h"
#include "controller/clock_window.h"

/* The windows of a segment in one second, kept while instants stay there. Zero before use. */
struct clock_view {
	struct clock_window whole, brief;
	const struct clock_segment *segment; /* NULL: none yet */
	uint64_t number;                     /* of the second */
};

struct clock_estimate clock_view_at(struct clock_view *view, const struct clock_blocks *blocks,
				    const struct clock_segment *segment, uint64_t t);
void clock_view_release(struct clock_view *view);

/* Outwards, so that what is true of the doubles is of the integers. */
struct clock_estimate clock_view_estimate(const struct clock_lines *lines, int64_t origin);

/* Whatever either allows; unknown when one of them is. */
struct clock_estimate clock_view_join(struct clock_estimate a, struct clock_estimate b);

#endif
