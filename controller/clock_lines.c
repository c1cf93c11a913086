#include "controller/clock_lines.h"

#include <math.h>
#include <stddef.h>

/* What rounding may cost, in ns: far below what a clock can show. */
#define TOLERANCE 1e-6
/* Each step leaves a corner behind; a hull has tens. Giving up outside stays true. */
#define STEPS 64

/* How much room slope d leaves between the two sets, and the pair that says so; negative: it is
 * impossible. */
static double room(const struct clock_program *program, double t, double d, struct clock_pair *pair)
{
	pair->above = clock_hull_binding(&program->above, t, d);
	pair->below = clock_hull_binding(&program->below, t, -d);
	return clock_fact_limit(pair->above, t, d) + clock_fact_limit(pair->below, t, -d);
}

/* The slope at which the pair leaves no room. */
static double root(const struct clock_pair *pair, double t)
{
	double both = clock_fact_limit(pair->above, t, 0) + clock_fact_limit(pair->below, t, 0);

	return both / (pair->above->at - pair->below->at);
}

/* From `end`, which is one of +-rho, to the nearest possible slope. A pair that limited slopes
 * from this side does so at every t. */
static bool nearest_slope(const struct clock_program *program, double t, double end,
			  struct clock_pair *pair, double *slope)
{
	double d = end;

	if (pair->above) {
		double start = root(pair, t);
		if (end > 0 ? start < end : start > end)
			d = start;
	}
	for (int step = 0; step < STEPS && fabs(d) <= CLOCK_HULL_DRIFT; step++) {
		struct clock_pair next;
		*slope = d;
		if (room(program, t, d, &next) >= -TOLERANCE)
			return true;
		/* More room lies further outside, if anywhere. */
		if (end > 0 ? next.above->at <= next.below->at : next.above->at >= next.below->at)
			return false;
		*pair = next;
		d = root(pair, t);
	}
	return fabs(d) <= CLOCK_HULL_DRIFT;
}

static bool slopes(struct clock_program *program, double t, double *lo, double *hi)
{
	if (!program->above.count || !program->below.count ||
	    !nearest_slope(program, t, -CLOCK_HULL_DRIFT, &program->flattest, lo) ||
	    !nearest_slope(program, t, CLOCK_HULL_DRIFT, &program->steepest, hi))
		return false;
	/* A single line is left, found from both sides. */
	if (*lo > *hi)
		*lo = *hi = (*lo + *hi) / 2;
	return true;
}

static double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static double limit(const struct clock_hull *hull, double t, double low, double high)
{
	double slope = clamp(clock_hull_best_slope(hull, t), low, high);

	return clock_fact_limit(clock_hull_binding(hull, t, slope), t, slope);
}

static void values(const struct clock_program *program, double t, double flattest, double steepest,
		   double *lo, double *hi)
{
	*hi = limit(&program->above, t, flattest, steepest);
	*lo = -limit(&program->below, t, -steepest, -flattest);
	if (*lo > *hi)
		*lo = *hi = (*lo + *hi) / 2;
}

bool clock_lines_at(struct clock_program *program, double t, struct clock_lines *lines)
{
	if (!slopes(program, t, &lines->drift_lo, &lines->drift_hi))
		return false;
	values(program, t, lines->drift_lo, lines->drift_hi, &lines->lo, &lines->hi);
	return true;
}

/* The largest value that either set leaves alone counts where the other set leaves room for it. */
static bool best_value(const struct clock_program *program, double t, const struct clock_hull *hull,
		       double sign, double *value)
{
	double slope = clock_hull_best_slope(hull, t);
	struct clock_pair pair;

	if (fabs(slope) > CLOCK_HULL_DRIFT || room(program, t, sign * slope, &pair) < 0)
		return false;
	*value = clock_fact_limit(sign > 0 ? pair.above : pair.below, t, slope);
	return true;
}

bool clock_lines_values(struct clock_program *program, double t, double *lo, double *hi)
{
	double flattest, steepest;

	if (program->above.count && program->below.count &&
	    best_value(program, t, &program->above, 1, hi) &&
	    best_value(program, t, &program->below, -1, lo)) {
		*lo = -*lo;
		return true;
	}
	if (!slopes(program, t, &flattest, &steepest))
		return false;
	values(program, t, flattest, steepest, lo, hi);
	return true;
}
