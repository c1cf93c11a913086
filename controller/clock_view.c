#include "controller/clock_view.h"

#include <math.h>

/* More than adding up doubles of this size can get wrong, in ns. */
#define ROUNDING 1e-3

static void view_set(struct clock_view *view, const struct clock_blocks *blocks,
		     const struct clock_segment *segment, uint64_t t)
{
	if (view->segment == segment && view->number == t / CLOCK_BLOCK_NS)
		return;
	view->segment = segment;
	view->number = t / CLOCK_BLOCK_NS;
	clock_window_set(&view->whole, blocks, segment->halves, t, clock_reach_whole);
	clock_window_set(&view->brief, blocks, segment->halves, t, clock_reach_brief);
}

void clock_view_release(struct clock_view *view)
{
	clock_window_release(&view->whole);
	clock_window_release(&view->brief);
}

/* Garbage may be anywhere; what cannot be held is not claimed. */
static bool to_integer(double value, int64_t *out)
{
	if (!(fabs(value) < 9e18))
		return false;
	*out = (int64_t)value;
	return true;
}

static int64_t middle(int64_t lo, int64_t hi)
{
	return (int64_t)((uint64_t)lo + ((uint64_t)hi - (uint64_t)lo) / 2);
}

struct clock_estimate clock_view_estimate(const struct clock_lines *lines, int64_t origin)
{
	struct clock_estimate e = {0};
	int64_t lo, hi;

	if (!to_integer(floor(lines->lo - ROUNDING), &lo) ||
	    !to_integer(ceil(lines->hi + ROUNDING), &hi))
		return e;
	lo = (int64_t)((uint64_t)origin + (uint64_t)lo);
	hi = (int64_t)((uint64_t)origin + (uint64_t)hi);
	if (lo > hi)
		return e;
	e.known = true;
	e.lo_ns = lo;
	e.hi_ns = hi;
	e.offset_ns = middle(lo, hi);
	e.drift_lo_ppb = (int64_t)floor(lines->drift_lo * 1e9);
	e.drift_hi_ppb = (int64_t)ceil(lines->drift_hi * 1e9);
	e.drift_ppb = middle(e.drift_lo_ppb, e.drift_hi_ppb);
	return e;
}

/* A step too small to be proved bends the lines of the whole window, but hardly those of a few
 * seconds: the inner half of what these allow is allowed as well. */
static void allow_brief(struct clock_window *brief, uint64_t t, struct clock_lines *lines)
{
	double lo, hi;

	if (!clock_window_values(brief, t, &lo, &hi))
		return;
	lines->lo = fmin(lines->lo, lo + (hi - lo) / 4);
	lines->hi = fmax(lines->hi, hi - (hi - lo) / 4);
}

struct clock_estimate clock_view_at(struct clock_view *view, const struct clock_blocks *blocks,
				    const struct clock_segment *segment, uint64_t t)
{
	struct clock_lines lines;

	view_set(view, blocks, segment, t);
	if (!clock_window_lines(&view->whole, t, &lines))
		return (struct clock_estimate){0};
	allow_brief(&view->brief, t, &lines);
	return clock_view_estimate(&lines, view->whole.origin_value);
}

struct clock_estimate clock_view_join(struct clock_estimate a, struct clock_estimate b)
{
	if (!a.known || !b.known)
		return (struct clock_estimate){0};
	if (b.lo_ns < a.lo_ns)
		a.lo_ns = b.lo_ns;
	if (b.hi_ns > a.hi_ns)
		a.hi_ns = b.hi_ns;
	if (b.drift_lo_ppb < a.drift_lo_ppb)
		a.drift_lo_ppb = b.drift_lo_ppb;
	if (b.drift_hi_ppb > a.drift_hi_ppb)
		a.drift_hi_ppb = b.drift_hi_ppb;
	a.offset_ns = middle(a.lo_ns, a.hi_ns);
	a.drift_ppb = middle(a.drift_lo_ppb, a.drift_hi_ppb);
	return a;
}
