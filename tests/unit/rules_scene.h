/* rules_scene.h - results with timelines that are as rough as real ones, from a seed. */
#ifndef MUSTER_TESTS_UNIT_RULES_SCENE_H
#define MUSTER_TESTS_UNIT_RULES_SCENE_H

#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"
#include "tests/unit/seeded.h"

#define SCENE_BLOCK (UINT64_C(1) << 20)

/* Throughput of a host's target in a bucket, as a share of its rate. */
typedef double scene_shape(uint32_t host, uint32_t bucket);

/* What a target of the sample's last phase did in `seconds` at a rate, with noise of a CV of
 * `noise` from bucket to bucket; `shape` NULL: flat. */
static inline void scene_load(struct sample *sample, uint32_t h, uint32_t t, uint32_t seconds,
			      double bytes_per_s, double noise, scene_shape *shape,
			      struct random *random)
{
	uint32_t p = sample->result.phases_count - 1;
	struct result_phase *phase = &sample->result.phases[p];
	struct result_target *target = &phase->hosts[h].targets[t];
	struct series *series = &sample->series.phases[p].series[h][t];
	bool write = phase->op[0] == 'w';

	target->first_io_ns = phase->start_ns;
	target->last_io_ns = phase->start_ns + seconds * S;
	series->count = (uint32_t)(seconds * S / phase->bucket_ns);
	series->buckets = mem_new(series->count, sizeof(*series->buckets));
	for (uint32_t b = 0; b < series->count; b++) {
		struct series_bucket *bucket = &series->buckets[b];
		double share = (shape ? shape(h, b) : 1) * (1 + noise * seeded_normal(random));
		double bytes = bytes_per_s * (double)phase->bucket_ns / (double)S * share;
		bucket->operations = bytes > 0 ? (uint64_t)(bytes / (double)SCENE_BLOCK + 0.5) : 0;
		uint64_t moved = bucket->operations * SCENE_BLOCK;
		*(write ? &bucket->bytes_written : &bucket->bytes_read) = moved;
		target->bytes += moved;
		*(write ? &target->bytes_written : &target->bytes_read) += moved;
		target->operations += bucket->operations;
	}
	window_target_rates(phase, target);
}

/* To be called when a phase's targets are loaded. */
static inline void scene_finish(struct sample *sample, bool timed)
{
	uint32_t p = sample->result.phases_count - 1;

	window_compute(&sample->result.phases[p], &sample->series.phases[p], timed);
	sample_plan(sample);
}

#endif
