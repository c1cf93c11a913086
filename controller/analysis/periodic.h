/* periodic.h - whether throughput comes and goes in a fixed rhythm, and in which shape.
 *
 * The period is the smallest lag of at least 5 samples at which the autocorrelation r of the
 * series, less its linear trend and scaled by n / (n - k), has a local maximum with
 *   r >= max(0.3, 2 * 1.96 / sqrt(n)), r >= 0.9 of the best one, r at twice the lag >= 0.7 of it,
 * five periods or more being there. One thing is asked beside: the correlation must have been lower
 * by the same limit in between. A slow drift looks like itself at every lag, and the smallest
 * ripple on it would pass for a period.
 *
 * The shape is Otsu's split into high and low samples; eta, the part of the variance that lies
 * between the two, is 1 for two levels, 0.75 for a uniform and 0.64 for a normal distribution. What
 * is no square wave may be a sawtooth: the differences from sample to sample are skewed then, below
 * 0 where it rises slowly and falls at once. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_PERIODIC_H
#define MUSTER_CONTROLLER_ANALYSIS_PERIODIC_H

#include <stdbool.h>
#include <stdint.h>

#define PERIODIC_LEAST_LAG     5 /* samples of a period */
#define PERIODIC_LEAST_PERIODS 5
#define PERIODIC_SQUARE_ETA    0.85
#define PERIODIC_SAWTOOTH_SKEW 1.0
#define PERIODIC_DIP_SHARE     0.10 /* of the time low: less is a dip, more a stall */

struct split {
	double eta;       /* 0 for a constant */
	double high, low; /* means */
	double duty;      /* share of samples that are high */
	double depth;     /* 1 - low / high */
};

struct periodic {
	double period; /* samples; a fraction by a parabola through the peak */
	double r;      /* at the peak, scaled */
	struct split split;
	double skew; /* of the differences from sample to sample */
	double mean;
	bool is_square; /* eta >= 0.85 */
	bool is_dip;
};

/* Otsu's split of samples in any order; n log n. */
struct split periodic_split(const double *samples, uint32_t count);

/* Of the differences of two samples or more; 0: they are all alike. */
double periodic_skew(const double *samples, uint32_t count);

/* False: no period, or too few samples. n log n. */
bool periodic_find(const double *samples, uint32_t count, struct periodic *found);

#endif
