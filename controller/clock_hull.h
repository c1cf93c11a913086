/* clock_hull.h - of many facts about a clock, those that bind.
 *
 * A fact says theta(at) <= value. Where |theta''| <= gamma, it says of the line with slope d
 * through theta(t) that c + d (at - t) <= value + gamma/2 (at - t)^2. The square is the same for
 * every t but for a term that is linear in `at`; so with gamma/2 at^2 added once, the facts that
 * can bind for any t and any d are the corners of one lower hull of lifted values. Facts "theta >=
 * value" go in with their sign changed. Doubles: times and values relative to something near
 * (clock_window.h). */
#ifndef MUSTER_CONTROLLER_CLOCK_HULL_H
#define MUSTER_CONTROLLER_CLOCK_HULL_H

#include <stdint.h>

#include "controller/clock_fit.h"

#define CLOCK_HULL_DRIFT  (CLOCK_FIT_DRIFT_PPB * 1e-9)
#define CLOCK_HULL_WANDER (CLOCK_FIT_WANDER_PPB_PER_S * 1e-18) /* of each ns */

struct clock_fact {
	double at, value; /* ns */
	uint32_t index;   /* the caller's */
};

struct clock_corner {
	struct clock_fact fact;
	double slope; /* of the lifted edge that ends here; they grow from corner to corner */
};

/* Zero before use. */
struct clock_hull {
	struct clock_corner *corners;
	uint32_t count, capacity;
};

/* The hull of these facts instead of what was there; sorts them when they are not in order. */
void clock_hull_set(struct clock_hull *hull, struct clock_fact *facts, uint32_t count);
void clock_hull_release(struct clock_hull *hull);

/* The fact that limits lines of this slope most, at any t within reach. The hull is not empty. */
const struct clock_fact *clock_hull_binding(const struct clock_hull *hull, double t, double slope);

/* The largest theta(t) that it leaves to a line of this slope. */
static inline double clock_fact_limit(const struct clock_fact *fact, double t, double slope)
{
	double ahead = fact->at - t;

	return fact->value + ahead * (CLOCK_HULL_WANDER / 2 * ahead - slope);
}

/* The slope for which that limit is largest; infinite when all facts lie on one side of t. */
double clock_hull_best_slope(const struct clock_hull *hull, double t);

#endif
