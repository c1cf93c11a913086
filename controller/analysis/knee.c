#include "controller/analysis/knee.h"

#include <math.h>

#include "controller/analysis/rank.h"

#define ROUNDING 1e-9

static bool has_repeats(const struct knee_setting *a, const struct knee_setting *b)
{
	return a->count >= KNEE_LEAST_REPEATS && b->count >= KNEE_LEAST_REPEATS;
}

/* Whether a setting is as good as the best, as far as its repeats can tell. */
static bool is_equal(const struct knee_setting *setting, const struct knee_setting *best,
		     double loss)
{
	if (setting == best)
		return true;
	if (!has_repeats(setting, best))
		return setting->median >= (1 - loss) * best->median - ROUNDING * best->median;
	struct rank_shift shift =
		rank_shift(setting->values, setting->count, best->values, best->count, 0.90);
	double most = shift.has_interval ? shift.high : shift.shift;
	return most / best->median <= loss + ROUNDING;
}

struct knee knee_find(const struct knee_setting *settings, uint32_t count, double loss)
{
	struct knee knee = {0};
	double least = INFINITY;

	for (uint32_t i = 0; i < count; i++) {
		least = fmin(least, settings[i].median);
		if (settings[i].median > settings[knee.best].median)
			knee.best = i;
	}
	if (count < 2 || !(settings[knee.best].median > 0))
		return knee;
	const struct knee_setting *best = &settings[knee.best];
	knee.spread = (best->median - least) / best->median;
	knee.is_flat = knee.spread < loss;
	while (knee.alike < count &&
	       fabs(settings[knee.alike].median / settings[0].median - 1) < loss)
		knee.alike++;
	if (knee.is_flat || count < KNEE_LEAST_SETTINGS)
		return knee;
	while (!is_equal(&settings[knee.at], best, loss))
		knee.at++;
	knee.found = true;
	knee.is_proven = has_repeats(&settings[knee.at], best);
	knee.share = settings[knee.at].median / best->median;
	return knee;
}

uint32_t knee_kneedle(const double *x, const double *y, uint32_t count, double *distances)
{
	uint32_t at = UINT32_MAX;
	double most = 0, low = INFINITY, high = -INFINITY;

	for (uint32_t i = 0; i < count; i++) {
		low = fmin(low, y[i]);
		high = fmax(high, y[i]);
	}
	if (count < 3 || !(high > low) || !(x[count - 1] > x[0]))
		return at;
	for (uint32_t i = 0; i < count; i++) {
		double across = (x[i] - x[0]) / (x[count - 1] - x[0]);
		double above = (y[i] - low) / (high - low) - across;
		if (distances)
			distances[i] = above;
		if (above > most) {
			most = above;
			at = i;
		}
	}
	return at;
}
