/* knee.h - from which setting on more does not help.
 *
 * The smallest setting that is statistically equal to the best: the upper 95 % bound of its loss
 * against the best (Hodges & Lehmann, of repeats) is at most `loss`. Without four repeats of both,
 * the smallest whose median is at least 1 - loss of the best's, which is not proven. "Stop where
 * doubling gains less than 5 %" would stop at the first plateau of several. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_KNEE_H
#define MUSTER_CONTROLLER_ANALYSIS_KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_LEAST_SETTINGS 3
#define KNEE_FEW_SETTINGS   5 /* fewer: the curve between them is a guess */
#define KNEE_LEAST_REPEATS  4

struct knee_setting {
	double setting;
	double *values; /* of its repeats; the caller's */
	uint32_t count;
	double median;
};

struct knee {
	bool found;     /* false: too few settings, or a flat curve */
	bool is_flat;   /* (max - min) / max is below the loss: no setting matters */
	bool is_proven; /* by repeats */
	uint32_t at;    /* index of the knee */
	uint32_t best;  /* index of the best */
	uint32_t alike; /* settings from the first on that do as the first does */
	double spread;  /* (max - min) / max */
	double share;   /* knee / best */
};

/* Settings in ascending order, with their medians. */
struct knee knee_find(const struct knee_setting *settings, uint32_t count, double loss);

/* Kneedle (Satopaa et al. 2011), of a curve that rises and bends: the index at which the normalised
 * curve is furthest above its diagonal. A hint only: it depends on the scale of x, so that
 * powers of two are to be given as logarithms. UINT32_MAX: none. `distances` (may be NULL) is
 * filled. */
uint32_t knee_kneedle(const double *x, const double *y, uint32_t count, double *distances);

#endif
