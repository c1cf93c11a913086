#include "common/histogram.h"

#include <math.h>

uint64_t histogram_low(uint32_t index)
{
	if (index < 128)
		return index;
	return (uint64_t)(128 + (index & 127)) << ((index >> 7) - 1);
}

uint64_t histogram_high(uint32_t index)
{
	return histogram_low(index + 1) - 1;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->counts[i] += from->counts[i];
	into->total += from->total;
	if (from->max > into->max)
		into->max = from->max;
}

/* ceil(percent/100 * total), in parts of a millionth of a percent: as doubles, 99.9 % of 1000
 * would be sample 1000, because 99.9 is a little more than it says. */
static uint64_t rank(uint64_t total, double percent)
{
	__extension__ typedef unsigned __int128 wide;
	const uint64_t whole = UINT64_C(100000000);
	uint64_t part = (uint64_t)(percent * 1e6 + 0.5);

	return (uint64_t)(((wide)total * part + whole - 1) / whole);
}

double histogram_mean(const struct histogram *h)
{
	double sum = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double middle = ((double)histogram_low(i) + (double)histogram_high(i)) / 2;
		sum += (double)h->counts[i] * middle;
	}
	return h->total ? fmin(sum / (double)h->total, (double)h->max) : NAN;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	return histogram_at(h, rank(h->total, percent));
}

uint64_t histogram_at(const struct histogram *h, uint64_t wanted)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->counts[i];
		if (seen && seen >= wanted && i < HISTOGRAM_BUCKETS - 1)
			return histogram_high(i) < h->max ? histogram_high(i) : h->max;
	}
	/* The last bucket also counts all that is longer than its high end. */
	return h->max;
}

int histogram_has_percentile(const struct histogram *h, double percent)
{
	return h->total - rank(h->total, percent) >= 10;
}
