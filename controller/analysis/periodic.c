#include "controller/analysis/periodic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/analysis/correlation.h"
#include "controller/analysis/stats.h"

#define R_LEAST   0.3
#define R_OF_BEST 0.9
#define R_TWICE   0.7
#define R_CHANCE  (2 * 1.96) /* over the root of n: twice what 95 % of noise stays under */

#define ROUNDING 1e-9 /* a tenth is a stall */

/* ---- shape ---- */

struct split periodic_split(const double *samples, uint32_t count)
{
	struct split split = {.duty = 1};
	double *sorted = mem_new(count, sizeof(*sorted)), total = 0, squares = 0, below = 0,
	       best = 0;

	if (count)
		memcpy(sorted, samples, count * sizeof(*sorted));
	stats_sort(sorted, count);
	double mean = stats_mean(sorted, count);
	split.high = split.low = mean;
	for (uint32_t i = 0; i < count; i++) {
		total += sorted[i];
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	}
	for (uint32_t low = 1; low < count; low++) {
		below += sorted[low - 1];
		uint32_t high = count - low;
		double step = (total - below) / high - below / low;
		double between = step * step * low * high / count;
		if (sorted[low] > sorted[low - 1] && between > best) {
			best = between;
			split.low = below / low;
			split.high = (total - below) / high;
			split.duty = (double)high / count;
		}
	}
	split.eta = best > 0 ? fmin(best / squares, 1) : 0;
	split.depth = split.high > 0 ? 1 - split.low / split.high : 0;
	free(sorted);
	return split;
}

/* ---- period ---- */

static bool is_peak(const double *r, uint32_t k)
{
	return r[k] > r[k - 1] && r[k] >= r[k + 1];
}

static double best_peak(const double *r, uint32_t most)
{
	double best = 0;

	for (uint32_t k = PERIODIC_LEAST_LAG; k <= most; k++)
		if (is_peak(r, k) && r[k] > best)
			best = r[k];
	return best;
}

/* The lag of the period; 0: none. */
static uint32_t find_lag(const double *r, uint32_t most, double limit)
{
	double best = best_peak(r, most), lowest = r[0];

	for (uint32_t k = 1; k <= most; k++) {
		lowest = fmin(lowest, r[k]);
		if (k >= PERIODIC_LEAST_LAG && is_peak(r, k) && r[k] >= limit &&
		    r[k] >= R_OF_BEST * best && r[k] - lowest >= limit &&
		    r[2 * k] >= R_TWICE * r[k])
			return k;
	}
	return 0;
}

static double peak_of_parabola(const double *r, uint32_t k)
{
	double bend = r[k - 1] - 2 * r[k] + r[k + 1];

	return bend < 0 ? k + (r[k - 1] - r[k + 1]) / (2 * bend) : k;
}

double periodic_skew(const double *samples, uint32_t count)
{
	double mean = (samples[count - 1] - samples[0]) / (count - 1), second = 0, third = 0;

	for (uint32_t i = 1; i < count; i++) {
		double off = samples[i] - samples[i - 1] - mean;
		second += off * off;
		third += off * off * off;
	}
	second /= count - 1;
	third /= count - 1;
	return second > 0 ? third / pow(second, 1.5) : 0;
}

bool periodic_find(const double *samples, uint32_t count, struct periodic *found)
{
	uint32_t most = count / PERIODIC_LEAST_PERIODS, lags = 2 * most + 1, lag = 0;
	double *r = mem_new(lags, sizeof(*r));

	if (most >= PERIODIC_LEAST_LAG && correlation_of_itself(samples, count, true, r, lags)) {
		for (uint32_t k = 0; k < lags; k++)
			r[k] *= (double)count / (count - k);
		lag = find_lag(r, most, fmax(R_LEAST, R_CHANCE / sqrt(count)));
	}
	if (lag) {
		*found = (struct periodic){.period = peak_of_parabola(r, lag),
					   .r = r[lag],
					   .split = periodic_split(samples, count),
					   .skew = periodic_skew(samples, count),
					   .mean = stats_mean(samples, count)};
		found->is_square = found->split.eta >= PERIODIC_SQUARE_ETA;
		found->is_dip = 1 - found->split.duty < PERIODIC_DIP_SHARE - ROUNDING;
	}
	free(r);
	return lag > 0;
}
