/* rank.h - two samples held against each other by ranks alone.
 *
 * Mann & Whitney's test and the shift of Hodges & Lehmann: no distribution is assumed. With few
 * values nothing can be said, and is not: four a side to call two different at 5 %, six for an
 * interval of a median (stats_quantile_ranks). */
#ifndef MUSTER_CONTROLLER_ANALYSIS_RANK_H
#define MUSTER_CONTROLLER_ANALYSIS_RANK_H

#include <stdbool.h>
#include <stdint.h>

#define RANK_LEAST      4  /* values a side */
#define RANK_MOST_EXACT 50 /* a side; more, and ties, go by the normal distribution */

/* U of `a`: how many pairs (a, b) have a > b, ties half. */
double rank_u(const double *a, uint32_t n, const double *b, uint32_t m);

/* Two-sided probability of a U as extreme by chance, without ties, exactly; n, m <=
 * RANK_MOST_EXACT. */
double rank_p_exact(double u, uint32_t n, uint32_t m);

/* The same of two samples: exact where it can be, else normal with the variance less for ties and
 * the correction for continuity. */
double rank_p(const double *a, uint32_t n, const double *b, uint32_t m);

/* b - a: the median of all differences, and the interval in which it is with at least
 * `confidence` (0.95); of a one-sided bound at 95 % ask for 0.90. */
struct rank_shift {
	double shift;
	bool has_interval; /* false: too few values */
	double low, high;
	uint32_t rank; /* of the differences, from each end */
};
struct rank_shift rank_shift(const double *a, uint32_t n, const double *b, uint32_t m,
			     double confidence);

#endif
