#include "controller/analysis/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Makes distances comparable with a standard deviation: the normal's third quartile, and the square
 * root of pi / 2. */
#define MAD_SCALE           0.6745
#define MEAN_DISTANCE_SCALE 1.253314

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, uint32_t count)
{
	if (count)
		qsort(values, count, sizeof(*values), compare);
}

double stats_mean(const double *values, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / count : NAN;
}

double stats_quantile(const double *sorted, uint32_t count, double q)
{
	if (!count)
		return NAN;
	double at = q * (count - 1);
	uint32_t below = (uint32_t)at;
	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

/* Takes `values`. */
static double median_of(double *values, uint32_t count)
{
	stats_sort(values, count);
	double median = stats_quantile(values, count, 0.5);
	free(values);
	return median;
}

double stats_harmonic_mean(const double *values, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += 1 / values[i];
	return count ? count / sum : NAN;
}

double stats_geometric_mean(const double *values, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += log(values[i]);
	return count ? exp(sum / count) : NAN;
}

double stats_median(const double *values, uint32_t count)
{
	double *copy = mem_new(count, sizeof(*copy));

	if (count)
		memcpy(copy, values, count * sizeof(*copy));
	return median_of(copy, count);
}

double stats_median_distance(const double *values, uint32_t count, double centre)
{
	double *distances = mem_new(count, sizeof(*distances));

	for (uint32_t i = 0; i < count; i++)
		distances[i] = fabs(values[i] - centre);
	return median_of(distances, count);
}

double stats_mean_distance(const double *values, uint32_t count, double centre)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += fabs(values[i] - centre);
	return count ? sum / count : NAN;
}

double stats_modified_z(double value, double median, double mad, double mean_distance)
{
	double off = value - median;

	if (mad > 0)
		return MAD_SCALE * off / mad;
	if (mean_distance > 0)
		return off / (MEAN_DISTANCE_SCALE * mean_distance);
	return off == 0 ? 0 : copysign(INFINITY, off);
}

double stats_slope(const double *values, uint32_t count)
{
	double mean = stats_mean(values, count), middle = ((double)count - 1) / 2;
	double products = 0, squares = 0;

	if (!count)
		return NAN;
	for (uint32_t i = 0; i < count; i++) {
		products += (i - middle) * (values[i] - mean);
		squares += (i - middle) * (i - middle);
	}
	return squares > 0 ? products / squares : 0;
}

/* Of `count` draws with chance `q`, the chance that exactly `hits` hit. */
static double binomial(uint32_t count, uint32_t hits, double q)
{
	double n = count, k = hits;

	return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(q) +
		   (n - k) * log1p(-q));
}

bool stats_quantile_ranks(uint32_t count, double q, double confidence, uint32_t *low,
			  uint32_t *high, double *level)
{
	double tail = (1 - confidence) / 2, below = 0, before_low = 0;

	if (!(q > 0 && q < 1) || !(confidence > 0 && confidence < 1))
		return false;
	*low = *high = 0;
	/* low: the least number of hits that is not in the lower tail; high: one over the least
	 * with all but the upper tail at or under it. */
	for (uint32_t hits = 0; hits < count; hits++) {
		double before = below;
		below += binomial(count, hits, q);
		if (before <= tail && below > tail) {
			*low = hits;
			before_low = before;
		}
		if (below >= 1 - tail) {
			*high = hits + 1;
			break;
		}
	}
	if (!*low || !*high)
		return false;
	if (level)
		*level = below - before_low;
	return true;
}
