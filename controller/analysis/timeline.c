#include "controller/analysis/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "controller/analysis/stats.h"

/* What is given to the periodic test at once. A longer timeline is looked at twice: all of it in
 * coarser samples, and its beginning in fine ones. */
#define PERIODIC_SAMPLES_MOST 8192

/* Whole samples of `width` buckets each, as means of a bucket; what is left over at the end is left
 * out. */
static double *merge(const struct timeline *t, uint32_t width, uint32_t *count)
{
	double *merged = mem_new(t->count / width, sizeof(*merged));

	*count = t->count / width;
	for (uint32_t i = 0; i < *count; i++)
		merged[i] = stats_mean(t->samples + (size_t)i * width, width);
	return merged;
}

/* Buckets that a sample must have to hold enough operations. */
static uint32_t least_width(const struct timeline *t)
{
	double width = t->operations > 0
			       ? ceil(TIMELINE_LEAST_TURNS * fmax(t->in_flight, 1) / t->operations)
			       : 1;

	return width < 1 ? 1 : width > t->count ? t->count : (uint32_t)width;
}

static uint32_t width_of_ns(const struct timeline *t, uint64_t ns)
{
	uint64_t width = (ns + t->bucket_ns - 1) / t->bucket_ns;

	return width > t->count ? t->count : (uint32_t)width;
}

/* ---- rhythm ---- */

/* Whether its levels are further apart than by what may have completed a sample early or late. */
static bool is_deep(const struct timeline *t, const struct periodic *periodic, uint32_t width)
{
	double apart = periodic->split.high - periodic->split.low;
	double of_one = t->operations > 0 ? periodic->mean / t->operations : 0;

	return periodic->split.depth >= TIMELINE_LEAST_DEPTH &&
	       apart * width >= 2 * t->in_flight * of_one;
}

static bool find_period(const struct timeline *t, uint32_t width, struct timeline_verdict *verdict)
{
	uint32_t count;
	double *samples = merge(t, width, &count);

	if (count > PERIODIC_SAMPLES_MOST)
		count = PERIODIC_SAMPLES_MOST;
	verdict->has_period = periodic_find(samples, count, &verdict->periodic) &&
			      is_deep(t, &verdict->periodic, width);
	verdict->period_ns = verdict->periodic.period * (double)width * (double)t->bucket_ns;
	free(samples);
	return verdict->has_period;
}

static void look_for_period(const struct timeline *t, struct timeline_verdict *verdict)
{
	uint32_t fine = least_width(t);
	uint32_t coarse = (t->count + PERIODIC_SAMPLES_MOST - 1) / PERIODIC_SAMPLES_MOST;

	/* Fine ones first: in coarse ones a quick rhythm looks like a slow one. */
	if (!find_period(t, fine, verdict) && coarse > fine)
		find_period(t, coarse, verdict);
}

/* ---- steps ---- */

static void look_for_steps(const struct timeline *t, struct timeline_verdict *verdict)
{
	uint32_t width = width_of_ns(t, TIMELINE_STEP_SAMPLE_NS), least = least_width(t), count;

	if (width < least)
		width = least;
	double *samples = merge(t, width, &count);
	verdict->steps_count = step_find(samples, count, verdict->steps);
	for (uint32_t s = 0; s < verdict->steps_count; s++)
		verdict->steps[s].at *= width;
	free(samples);
}

/* ---- stalls and dips by themselves ---- */

static void end_gap(struct timeline_gaps *gaps, uint32_t from, uint32_t end, uint32_t least)
{
	if (end - from < least)
		return;
	gaps->count++;
	gaps->buckets += end - from;
	if (end - from > gaps->longest) {
		gaps->longest = end - from;
		gaps->at = from;
	}
}

/* Stretches of at least `least` samples at or below `level`. */
static struct timeline_gaps find_gaps(const double *samples, uint32_t count, double level,
				      uint32_t least)
{
	struct timeline_gaps gaps = {0};
	uint32_t from = 0;

	for (uint32_t i = 0; i <= count; i++)
		if (i == count || samples[i] > level) {
			end_gap(&gaps, from, i, least);
			from = i + 1;
		}
	return gaps;
}

static struct timeline_gaps in_buckets(struct timeline_gaps gaps, uint32_t width)
{
	gaps.buckets *= width;
	gaps.at *= width;
	gaps.longest *= width;
	return gaps;
}

/* Samples that one stretch needs; never a single one of many buckets by chance. */
static uint32_t least_samples(const struct timeline *t, uint64_t ns, uint32_t width)
{
	uint32_t buckets = width_of_ns(t, ns), samples = (buckets + width - 1) / width;

	return samples ? samples : 1;
}

static void look_for_gaps(const struct timeline *t, struct timeline_verdict *verdict)
{
	uint32_t width = least_width(t), count;
	double *samples = merge(t, width, &count);
	double median = stats_median(samples, count);
	uint32_t stall = least_samples(t, TIMELINE_STALL_LEAST_NS, width);
	uint32_t dip = least_samples(t, TIMELINE_DIP_LEAST_NS, width);

	if (median > 0 && stall < count) {
		verdict->stalls = in_buckets(
			find_gaps(samples, count, TIMELINE_STALL_LEVEL * median, stall), width);
		if (!verdict->stalls.count)
			verdict->dips = in_buckets(
				find_gaps(samples, count, TIMELINE_DIP_LEVEL * median, dip), width);
	}
	free(samples);
}

/* ---- steadiness ---- */

/* Of the buckets from `from` on. False: too few of them. */
static bool is_long_enough(const struct timeline *t, uint32_t from)
{
	uint32_t chunk = (t->count - from) / STEADY_CHUNKS;

	return chunk >= (uint64_t)STEADY_LEAST_SAMPLES * least_width(t) &&
	       chunk * t->bucket_ns >= TIMELINE_LEAST_CHUNK_NS;
}

static void judge_steadiness(const struct timeline *t, struct timeline_verdict *verdict)
{
	uint32_t from = verdict->steps_count ? verdict->steps[verdict->steps_count - 1].at : 0;
	double chunk_ns = (double)(t->count / STEADY_CHUNKS) * (double)t->bucket_ns;

	if (!is_long_enough(t, 0))
		return;
	if (verdict->has_period && chunk_ns < STEADY_LEAST_PERIODS * verdict->period_ns) {
		verdict->steadiness = TIMELINE_STEADINESS_ALIASED;
		return;
	}
	if (!is_long_enough(t, from))
		from = 0; /* a level that was held too briefly shows no steady state */
	if (!steady_find(t->samples + from, t->count - from, &verdict->steady))
		return;
	verdict->steadiness =
		verdict->steady.is_steady ? TIMELINE_STEADINESS_YES : TIMELINE_STEADINESS_NO;
}

struct timeline_verdict timeline_judge(const struct timeline *t)
{
	struct timeline_verdict verdict = {0};

	if (!t->bucket_ns || t->count * t->bucket_ns < TIMELINE_LEAST_NS)
		return verdict;
	look_for_period(t, &verdict);
	if (!verdict.has_period)
		look_for_steps(t, &verdict);
	if (!verdict.has_period && !verdict.steps_count)
		look_for_gaps(t, &verdict);
	judge_steadiness(t, &verdict);
	return verdict;
}
