/* stats.h - order statistics and a line through points, of plain arrays.
 *
 * Formulas and worked numbers: Iglewicz & Hoaglin for the modified z, the binomial for intervals of
 * quantiles, Hyndman & Fan's type 7 (R's default) for quantiles. Everything is NAN for no values.
 */
#ifndef MUSTER_CONTROLLER_ANALYSIS_STATS_H
#define MUSTER_CONTROLLER_ANALYSIS_STATS_H

#include <stdbool.h>
#include <stdint.h>

void stats_sort(double *values, uint32_t count);

double stats_mean(const double *values, uint32_t count);

/* Of rates over equal amounts, and of ratios; of values above 0. */
double stats_harmonic_mean(const double *values, uint32_t count);
double stats_geometric_mean(const double *values, uint32_t count);

/* Of values in any order; they are not changed. */
double stats_median(const double *values, uint32_t count);

/* The quantile `q` (0 to 1) of sorted values, between two of them where it falls there. */
double stats_quantile(const double *sorted, uint32_t count, double q);

/* Median of the distances from `centre` (MAD), and their mean. */
double stats_median_distance(const double *values, uint32_t count, double centre);
double stats_mean_distance(const double *values, uint32_t count, double centre);

/* How far `value` is from the median, in what would be standard deviations of a normal
 * distribution: 0.6745 (x - median) / MAD, and by the mean distance where MAD is 0. Where that is 0
 * too, infinite for anything but the median. */
double stats_modified_z(double value, double median, double mad, double mean_distance);

/* Of the least-squares line through (0, values[0]), (1, values[1]), …: per step. 0 for one value.
 */
double stats_slope(const double *values, uint32_t count);

/* Ranks from 1, both included, between which the quantile `q` of what was sampled lies with at
 * least `confidence`, whatever the distribution. False: too few values to say. `level` (may be
 * NULL) is what is reached. */
bool stats_quantile_ranks(uint32_t count, double q, double confidence, uint32_t *low,
			  uint32_t *high, double *level);

#endif
