#include "controller/analysis/outlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/analysis/stats.h"

static double *sorted_copy(const double *values, uint32_t count)
{
	double *sorted = mem_new(count, sizeof(*sorted));

	memcpy(sorted, values, count * sizeof(*sorted));
	stats_sort(sorted, count);
	return sorted;
}

/* Where `value`, which is among them, stands. */
static uint32_t place(const double *sorted, uint32_t count, double value)
{
	uint32_t low = 0, high = count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The median without what stands at `left_out`. */
static double median_without(const double *sorted, uint32_t count, uint32_t left_out)
{
	uint32_t low = (count - 2) / 2, high = (count - 1) / 2;

	return (sorted[low + (low >= left_out)] + sorted[high + (high >= left_out)]) / 2;
}

/* Distances of all from one median. */
struct distances {
	double median, sum;
	double *sorted;
};

static struct distances distances_new(const double *values, uint32_t count, double median)
{
	double *sorted = mem_new(count, sizeof(*sorted)), sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += sorted[i] = fabs(values[i] - median);
	stats_sort(sorted, count);
	return (struct distances){.median = median, .sum = sum, .sorted = sorted};
}

static double z_of(double value, const struct distances *d, uint32_t count)
{
	double own = fabs(value - d->median);
	double mad = median_without(d->sorted, count, place(d->sorted, count, own));

	return stats_modified_z(value, d->median, mad, fmax(d->sum - own, 0) / (count - 1));
}

static bool is_odd(const struct outlier *verdict, uint32_t count)
{
	return fabs(verdict->ratio - 1) > OUTLIER_FLOOR &&
	       (count < OUTLIER_LEAST_MAD || fabs(verdict->z) > OUTLIER_Z);
}

static void keep_furthest(struct outlier *verdicts, uint32_t count)
{
	uint32_t furthest = 0;

	for (uint32_t i = 1; i < count; i++)
		if (fabs(log(verdicts[i].ratio)) > fabs(log(verdicts[furthest].ratio)))
			furthest = i;
	for (uint32_t i = 0; i < count; i++)
		verdicts[i].is_odd = verdicts[i].is_odd && i == furthest;
}

/* The median of the others is one of three at most, whichever host is left out, so distances are
 * sorted three times and not once a host. */
uint32_t outlier_find(const double *values, uint32_t count, struct outlier *verdicts)
{
	struct distances known[3];
	uint32_t known_count = 0, odd = 0;

	if (count < OUTLIER_LEAST_HOSTS) {
		memset(verdicts, 0, count * sizeof(*verdicts));
		return 0;
	}
	double *sorted = sorted_copy(values, count);
	for (uint32_t i = 0; i < count; i++) {
		double median = median_without(sorted, count, place(sorted, count, values[i]));
		uint32_t k = 0;
		while (k < known_count && known[k].median != median)
			k++;
		if (k == known_count)
			known[known_count++] = distances_new(values, count, median);
		verdicts[i] = (struct outlier){.median = median,
					       .z = z_of(values[i], &known[k], count),
					       .ratio = values[i] / median};
		verdicts[i].is_odd = is_odd(&verdicts[i], count);
	}
	if (count == OUTLIER_LEAST_HOSTS)
		keep_furthest(verdicts, count);
	for (uint32_t i = 0; i < count; i++)
		odd += verdicts[i].is_odd;
	while (known_count)
		free(known[--known_count].sorted);
	free(sorted);
	return odd;
}

struct straggler straggler_find(const double *times, uint32_t count)
{
	struct straggler straggler = {0};

	if (count < STRAGGLER_LEAST)
		return straggler;
	for (uint32_t i = 1; i < count; i++)
		if (times[i] > times[straggler.index])
			straggler.index = i;
	double longest = times[straggler.index];
	for (uint32_t i = 0; i < count; i++)
		straggler.alike += i != straggler.index && times[i] >= STRAGGLER_ALIKE * longest;
	straggler.factor = longest / stats_median(times, count);
	straggler.loss = 1 - stats_mean(times, count) / longest;
	straggler.is_one = straggler.factor > STRAGGLER_FACTOR || straggler.loss > STRAGGLER_LOSS;
	return straggler;
}
