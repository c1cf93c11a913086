#include "controller/analysis/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/random.h"
#include "controller/analysis/normal.h"
#include "controller/analysis/stats.h"

double bootstrap_acceleration(const double *values, uint32_t count, bootstrap_figure *figure)
{
	double *rest = mem_new(count, sizeof(*rest)), *without = mem_new(count, sizeof(*without));
	double cubes = 0, squares = 0;

	for (uint32_t left_out = 0; left_out < count; left_out++) {
		uint32_t kept = 0;
		for (uint32_t i = 0; i < count; i++)
			if (i != left_out)
				rest[kept++] = values[i];
		without[left_out] = figure(rest, kept);
	}
	double mean = stats_mean(without, count);
	for (uint32_t i = 0; i < count; i++) {
		double off = mean - without[i];
		cubes += off * off * off;
		squares += off * off;
	}
	free(rest);
	free(without);
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

double bootstrap_level(double level, double z0, double acceleration)
{
	double z = z0 + normal_quantile(level);

	return normal_below(z0 + z / (1 - acceleration * z));
}

static double *resample(const double *values, uint32_t count, bootstrap_figure *figure,
			uint64_t seed)
{
	struct random random = {.state = seed};
	double *figures = mem_new(BOOTSTRAP_RESAMPLES, sizeof(*figures));
	double *drawn = mem_new(count, sizeof(*drawn));

	for (uint32_t r = 0; r < BOOTSTRAP_RESAMPLES; r++) {
		for (uint32_t i = 0; i < count; i++)
			drawn[i] = values[random_below(&random, count)];
		figures[r] = figure(drawn, count);
	}
	free(drawn);
	stats_sort(figures, BOOTSTRAP_RESAMPLES);
	return figures;
}

/* Share of the sorted figures below `value`, those equal to it half. */
static double share_below(const double *figures, double value)
{
	double below = 0;

	for (uint32_t r = 0; r < BOOTSTRAP_RESAMPLES; r++)
		below += figures[r] < value ? 1 : figures[r] == value ? 0.5 : 0;
	return below / BOOTSTRAP_RESAMPLES;
}

struct bootstrap bootstrap_interval(const double *values, uint32_t count, bootstrap_figure *figure,
				    double confidence, uint64_t seed)
{
	struct bootstrap found = {
		.value = count ? figure(values, count) : NAN, .low = NAN, .high = NAN};

	if (count < BOOTSTRAP_LEAST)
		return found;
	double *figures = resample(values, count, figure, seed);
	double share = share_below(figures, found.value);
	if (share > 0 && share < 1) {
		double z0 = normal_quantile(share);
		double a = bootstrap_acceleration(values, count, figure);
		double tail = (1 - confidence) / 2;
		found.low =
			stats_quantile(figures, BOOTSTRAP_RESAMPLES, bootstrap_level(tail, z0, a));
		found.high = stats_quantile(figures, BOOTSTRAP_RESAMPLES,
					    bootstrap_level(1 - tail, z0, a));
	} else {
		found.low = found.high = found.value;
	}
	free(figures);
	return found;
}
