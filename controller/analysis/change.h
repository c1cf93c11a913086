/* change.h - where the history of a figure changes.
 *
 * E-divisive means (Matteson & James 2014): the split at which both sides differ most, by the
 * distances between all values, tested with Student's t in place of permutations, so that it says
 * the same twice. Quadratic: for histories of some hundred runs. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_CHANGE_H
#define MUSTER_CONTROLLER_ANALYSIS_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#define CHANGE_P_MOST     0.001
#define CHANGE_LEAST_SIZE 5 /* values after it */

/* q(tau) of a split before values[tau]; sides of one value have no distances in themselves. */
double change_divergence(const double *values, uint32_t count, uint32_t tau);

/* Student's t of the two sides (variance pooled, ddof 1), and its two-sided p. */
double change_t(const double *values, uint32_t count, uint32_t tau, double *p);

struct change {
	uint32_t at; /* first value of the new level */
	double before, after, divergence, p;
};
/* The best split; true when it counts: p <= 0.001, five values after it, and means `least` (0.05)
 * of the one before apart. */
bool change_find(const double *values, uint32_t count, double least, struct change *change);

#endif
