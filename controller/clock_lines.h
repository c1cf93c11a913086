/* clock_lines.h - all lines that two sets of facts leave possible: a linear program in two
 * variables, the value at an instant and the slope.
 *
 * With F(d) the largest and G(d) the smallest value that slope d allows, F is concave, G convex, so
 * that the possible slopes (F >= G) are one interval, and the largest value is that of F in it. The
 * ends of the interval are found by Newton's method from outside: each step is the root of a line
 * that lies above F - G, so that it never passes an end, and there are few corners to visit; none,
 * mostly, when it starts from the pair of facts that made the end at another instant nearby. */
#ifndef MUSTER_CONTROLLER_CLOCK_LINES_H
#define MUSTER_CONTROLLER_CLOCK_LINES_H

#include <stdbool.h>

#include "controller/clock_hull.h"

struct clock_lines {
	double lo, hi;             /* theta(t) in ns */
	double drift_lo, drift_hi; /* theta'(t) */
};

/* Facts that together limit the slope: one above, one below. NULL: not known. */
struct clock_pair {
	const struct clock_fact *above, *below;
};

struct clock_program {
	struct clock_hull above, below;       /* theta <= value; -theta <= -value */
	struct clock_pair flattest, steepest; /* of the latest answer */
};

/* At t. False: no line, or one of the sets is empty. */
bool clock_lines_at(struct clock_program *program, double t, struct clock_lines *lines);

/* Without the slopes, which is cheaper. */
bool clock_lines_values(struct clock_program *program, double t, double *lo, double *hi);

#endif
