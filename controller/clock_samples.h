/* clock_samples.h - the exchanges with one host, in order of t1, thinned when they become too many.
 *
 * At most CLOCK_EXCHANGE_KEPT are kept (48 bytes each, 4.8 MB). When they are that many, the oldest
 * three quarters are cut into slices of time of which the tightest sample stays: 100 ms, then twice
 * that, as often as needed to halve the number. No lock of its own. */
#ifndef MUSTER_CONTROLLER_CLOCK_SAMPLES_H
#define MUSTER_CONTROLLER_CLOCK_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "controller/clock_fit.h"

#define CLOCK_SAMPLES_SLICE_NS (100 * NS_PER_MS)

/* Zero before use. */
struct clock_samples {
	struct clock_sample *samples;
	uint32_t count, capacity;
	uint32_t taken; /* ever */
	uint64_t slice_ns;
};

/* Whether the stamps can be those of one exchange: in order, of this age of the world, the answer
 * not held for longer than it took, however fast the agent's clock may run. */
bool clock_sample_is_possible(const struct clock_sample *sample);

void clock_samples_add(struct clock_samples *samples, const struct clock_sample *sample);
/* In place of the recent one with the same t1; nothing where there is none. */
void clock_samples_replace(struct clock_samples *samples, const struct clock_sample *sample);
/* How many of the latest have t1 at or after `from_ns`. */
uint32_t clock_samples_since(const struct clock_samples *samples, uint64_t from_ns);
/* Leaves of samples in order of t1 the tightest of each slice; answers how many those are. */
uint32_t clock_samples_thin(struct clock_sample *all, uint32_t count, uint64_t slice_ns);
void clock_samples_release(struct clock_samples *samples);

#endif
