/* timeline.h - what a timeline of throughput says by itself: a rhythm, steps, a steady state.
 *
 * In this order, since each can be mistaken for the next: a series with a period is not searched
 * for steps, one with either not for single stalls, and where it steps only its last level can be a
 * steady state. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_TIMELINE_H
#define MUSTER_CONTROLLER_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/analysis/periodic.h"
#include "controller/analysis/steady.h"
#include "controller/analysis/step.h"

/* Below these nothing is said. A file system commits and a pool syncs every 5 s: chunks shorter
 * than that tell its beat, not the device's state. Levels are looked for in samples of a second. */
#define TIMELINE_LEAST_NS       (10 * UINT64_C(1000000000))
#define TIMELINE_LEAST_CHUNK_NS (5 * UINT64_C(1000000000))
#define TIMELINE_STEP_SAMPLE_NS UINT64_C(1000000000)

/* A sample holds at least ten times the I/Os in flight: they may all complete in one of two
 * neighbours. Buckets with fewer are put together. */
#define TIMELINE_LEAST_TURNS 10
/* A rhythm shallower than this (and than twice what is in flight) has no consequence. */
#define TIMELINE_LEAST_DEPTH 0.05

/* Nothing to speak of for 3 s is a stall, half of the median for a second a dip; where there is
 * neither a rhythm nor a step. */
#define TIMELINE_STALL_LEVEL    0.05 /* of the median */
#define TIMELINE_STALL_LEAST_NS (3 * UINT64_C(1000000000))
#define TIMELINE_DIP_LEVEL      0.50
#define TIMELINE_DIP_LEAST_NS   UINT64_C(1000000000)

/* Stretches below a level, in buckets. */
struct timeline_gaps {
	uint32_t count, buckets; /* how many, and of them all */
	uint32_t at, longest;    /* the longest one */
};

struct timeline {
	const double *samples; /* bytes, or anything that adds, of each bucket */
	uint32_t count;
	uint64_t bucket_ns;
	double operations; /* on average in a bucket; 0: not counted, buckets are fine enough */
	double in_flight;  /* operations at once */
};

enum timeline_steadiness {
	TIMELINE_STEADINESS_UNKNOWN, /* too few samples to say anything */
	TIMELINE_STEADINESS_ALIASED, /* chunks hold fewer than three periods */
	TIMELINE_STEADINESS_YES,
	TIMELINE_STEADINESS_NO,
};

struct timeline_verdict {
	bool has_period;
	struct periodic periodic; /* levels and mean are of a bucket */
	double period_ns;
	struct step steps[STEPS_MOST]; /* at: bucket; levels of a bucket */
	uint32_t steps_count;
	struct timeline_gaps stalls, dips; /* a stall is no dip too */
	enum timeline_steadiness steadiness;
	struct steady steady; /* with YES and NO; of the last level where that is long enough */
};

struct timeline_verdict timeline_judge(const struct timeline *timeline);

#endif
