/* histogram.h - latencies counted in log-linear buckets.
 *
 * 128 buckets for each power of two from 1 ns to 2^42 ns (73 min; more counts as that): a
 * percentile is within 0.8 % of the true value. 36 KiB, no allocation. Not for two threads: give
 * each its own, merge after. Layout: docs/DESIGN.md, "Latency" (log-linear, p = 7). */
#ifndef MUSTER_COMMON_HISTOGRAM_H
#define MUSTER_COMMON_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 4608

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
	uint64_t total; /* samples */
	uint64_t max;   /* exact, ns */
};

/* The bucket of a value: v itself below 128; else e = floor(log2 v), s = e - 7,
 * (s << 7) + (v >> s). Inline: it runs for each I/O. */
static inline uint32_t histogram_index(uint64_t ns)
{
	if (ns < 128)
		return (uint32_t)ns;
	if (ns >> 42)
		return HISTOGRAM_BUCKETS - 1;
	uint32_t shift = (63u ^ (uint32_t)__builtin_clzll(ns)) - 7u;
	return (shift << 7) + (uint32_t)(ns >> shift);
}

static inline void histogram_add(struct histogram *h, uint64_t ns)
{
	h->counts[histogram_index(ns)]++;
	h->total++;
	if (ns > h->max)
		h->max = ns;
}

/* Smallest and largest value that bucket `index` counts. */
uint64_t histogram_low(uint32_t index);
uint64_t histogram_high(uint32_t index);

/* Adds every count of `from` to `into`; `from` is unchanged. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The latency in ns that `percent` (0 < percent <= 100) of the samples do not exceed: the high end
 * of the bucket with the sample of rank ceil(percent/100 * total), never above max; 0 when there
 * are no samples. */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* The mean in ns, as if each sample lay in the middle of its bucket: within 0.4 %. NAN: none. */
double histogram_mean(const struct histogram *h);

/* The latency of the sample with that rank, from 1: the high end of its bucket, never above max. */
uint64_t histogram_at(const struct histogram *h, uint64_t rank);

/* Whether a percentile may be printed: at least 10 samples lie beyond it; of fewer the next run
 * would make another figure. */
int histogram_has_percentile(const struct histogram *h, double percent);

#endif
