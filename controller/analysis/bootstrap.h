/* bootstrap.h - an interval for any figure of a sample, by resampling (Efron's BCa).
 *
 * For ratios of totals and aggregates of ten values or more; below that ranks say it exactly
 * (rank.h). Runs are resampled, never the buckets of a timeline: those depend on each other. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_BOOTSTRAP_H
#define MUSTER_CONTROLLER_ANALYSIS_BOOTSTRAP_H

#include <stdint.h>

#define BOOTSTRAP_LEAST     10
#define BOOTSTRAP_RESAMPLES 9999

typedef double bootstrap_figure(const double *values, uint32_t count);

/* The acceleration a, from the figure without each value in turn. */
double bootstrap_acceleration(const double *values, uint32_t count, bootstrap_figure *figure);

/* The level at which the resampled figures are cut in place of `level` (0.025, 0.975); z0 is the
 * normal quantile of their share below the sample's own figure. */
double bootstrap_level(double level, double z0, double acceleration);

struct bootstrap {
	double value, low, high; /* low and high NAN with fewer than BOOTSTRAP_LEAST values */
};
/* At `confidence` (0.95); the same seed gives the same interval. */
struct bootstrap bootstrap_interval(const double *values, uint32_t count, bootstrap_figure *figure,
				    double confidence, uint64_t seed);

#endif
