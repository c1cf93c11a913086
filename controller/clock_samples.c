#include "controller/clock_samples.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/clock_exchange.h"

#define FIRST_CAPACITY 1024
#define DRIFT_PART     (1000000000 / CLOCK_FIT_DRIFT_PPB)
#define STAMP_MAX      (UINT64_MAX / 4) /* 146 years: sums and differences stay in range */
#define ERROR_MAX_NS   UINT32_C(1000000000)
#define REPLACE_BACK   256 /* samples that may have come in between */

/* Held by the agent's clock, at least this by the controller's. */
static uint64_t held_ns(const struct clock_sample *sample)
{
	uint64_t held = sample->t3 - sample->t2;

	return held - held / DRIFT_PART;
}

bool clock_sample_is_possible(const struct clock_sample *s)
{
	uint64_t errors = (uint64_t)s->upper_error_ns + s->lower_error_ns;

	if (s->t1 > s->t4 || s->t4 > STAMP_MAX || s->t2 > s->t3 || s->t3 > STAMP_MAX)
		return false;
	if (s->upper_error_ns > ERROR_MAX_NS || s->lower_error_ns > ERROR_MAX_NS)
		return false;
	return held_ns(s) <= s->t4 - s->t1 + errors + 1;
}

/* What it leaves open: the smaller, the tighter. Never below zero for a possible sample. */
static uint64_t slack_ns(const struct clock_sample *s)
{
	return s->t4 - s->t1 + s->upper_error_ns + s->lower_error_ns + 1 - held_ns(s);
}

uint32_t clock_samples_thin(struct clock_sample *all, uint32_t count, uint64_t slice_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool is_same = kept > 0 && all[kept - 1].t1 / slice_ns == all[i].t1 / slice_ns;
		if (!is_same)
			all[kept++] = all[i];
		else if (slack_ns(&all[i]) < slack_ns(&all[kept - 1]))
			all[kept - 1] = all[i];
	}
	return kept;
}

/* Of the first `limit`; the rest moves up. */
static void thin(struct clock_samples *samples, uint32_t limit)
{
	struct clock_sample *all = samples->samples;
	uint32_t kept = clock_samples_thin(all, limit, samples->slice_ns);

	memmove(all + kept, all + limit, (samples->count - limit) * sizeof(*all));
	samples->count -= limit - kept;
}

static void make_room(struct clock_samples *samples)
{
	uint32_t newest = CLOCK_EXCHANGE_KEPT / 4;

	if (samples->count == CLOCK_EXCHANGE_KEPT) {
		if (samples->slice_ns == 0)
			samples->slice_ns = CLOCK_SAMPLES_SLICE_NS;
		thin(samples, samples->count - newest);
		while (samples->count > CLOCK_EXCHANGE_KEPT / 2) {
			samples->slice_ns *= 2;
			thin(samples, samples->count - newest);
		}
	}
	if (samples->count < samples->capacity)
		return;
	samples->capacity = samples->capacity ? samples->capacity * 2 : FIRST_CAPACITY;
	if (samples->capacity > CLOCK_EXCHANGE_KEPT)
		samples->capacity = CLOCK_EXCHANGE_KEPT;
	samples->samples =
		mem_resize(samples->samples, samples->capacity, sizeof(*samples->samples));
}

void clock_samples_add(struct clock_samples *samples, const struct clock_sample *sample)
{
	make_room(samples);
	uint32_t at = samples->count++;
	/* Those over ZeroMQ come from another thread, and may come later than they were sent. */
	for (; at > 0 && samples->samples[at - 1].t1 > sample->t1; at--)
		samples->samples[at] = samples->samples[at - 1];
	samples->samples[at] = *sample;
	samples->taken++;
}

void clock_samples_replace(struct clock_samples *samples, const struct clock_sample *sample)
{
	for (uint32_t back = 1; back <= samples->count && back <= REPLACE_BACK; back++) {
		struct clock_sample *old = &samples->samples[samples->count - back];
		if (old->t1 == sample->t1) {
			*old = *sample;
			return;
		}
	}
}

uint32_t clock_samples_since(const struct clock_samples *samples, uint64_t from_ns)
{
	uint32_t low = 0, high = samples->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (samples->samples[middle].t1 < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return samples->count - low;
}

void clock_samples_release(struct clock_samples *samples)
{
	free(samples->samples);
	*samples = (struct clock_samples){0};
}
