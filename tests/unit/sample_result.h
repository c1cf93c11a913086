/* sample_result.h - small results made by hand, for the tests of what reads results. */
#ifndef MUSTER_TESTS_UNIT_SAMPLE_RESULT_H
#define MUSTER_TESTS_UNIT_SAMPLE_RESULT_H

#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/result.h"

#define MB UINT64_C(1000000)
#define S  NS_PER_S

struct sample {
	struct result result;
	struct result_series series;
};

/* Adds a phase that begins `start_ns` into the run and has buckets of 100 ms: hosts h1, h2, …, all
 * complete, with targets t1, t2, … that did nothing yet. */
static inline struct result_phase *sample_phase(struct sample *sample, const char *name,
						const char *op, uint64_t start_ns, uint32_t hosts,
						uint32_t targets)
{
	uint32_t p = sample->result.phases_count;
	struct result_phase *phase =
		RECORD_APPEND(sample->result.phases, sample->result.phases_count);
	struct phase_series *series;

	sample->series.phases = mem_resize(sample->series.phases, p + 1, sizeof(*series));
	series = &sample->series.phases[p];
	*series = (struct phase_series){0};
	series->series = mem_new(hosts, sizeof(*series->series));
	series->latency = mem_new(hosts, sizeof(*series->latency));
	*phase = (struct result_phase){.name = mem_text(name),
				       .trial = 1,
				       .op = mem_text(op),
				       .start_ns = start_ns,
				       .bucket_ns = 100 * NS_PER_MS};
	for (uint32_t h = 0; h < hosts; h++) {
		struct result_phase_host *host = RECORD_APPEND(phase->hosts, phase->hosts_count);
		host->host = mem_format("h%u", h + 1);
		host->state = mem_text("complete");
		for (uint32_t t = 0; t < targets; t++) {
			struct result_target *target =
				RECORD_APPEND(host->targets, host->targets_count);
			target->target = mem_format("t%u", t + 1);
			target->io = mem_text("direct");
			target->throughput_bytes_per_s = target->iops = NAN;
			target->throughput_with_sync_bytes_per_s = NAN;
		}
		series->series[h] = mem_new(targets, sizeof(**series->series));
		series->latency[h] = mem_new(targets, sizeof(**series->latency));
	}
	return phase;
}

/* Of an even flow of `total` over [from, to): what falls before `at`. */
static inline uint64_t sample_flow(uint64_t total, uint64_t from, uint64_t to, uint64_t at)
{
	uint64_t part = at <= from ? 0 : (at < to ? at : to) - from;

	return (uint64_t)((double)total * (double)part / (double)(to - from));
}

/* Lets a target move `bytes` in `operations` evenly from `from_ns` to `to_ns` after the phase's
 * start: totals, times and buckets. The phase must be the sample's last. */
static inline void sample_load(struct sample *sample, uint32_t h, uint32_t t, uint64_t from_ns,
			       uint64_t to_ns, uint64_t bytes, uint64_t operations)
{
	uint32_t p = sample->result.phases_count - 1;
	struct result_phase *phase = &sample->result.phases[p];
	struct result_target *target = &phase->hosts[h].targets[t];
	struct series *series = &sample->series.phases[p].series[h][t];
	bool write = phase->op[0] == 'w';
	uint64_t width = phase->bucket_ns;

	target->first_io_ns = phase->start_ns + from_ns;
	target->last_io_ns = phase->start_ns + to_ns;
	series->count = (uint32_t)((to_ns + width - 1) / width);
	series->buckets = mem_new(series->count, sizeof(*series->buckets));
	for (uint32_t b = 0; b < series->count; b++) {
		struct series_bucket *bucket = &series->buckets[b];
		uint64_t moved = sample_flow(bytes, from_ns, to_ns, (b + 1) * width) -
				 sample_flow(bytes, from_ns, to_ns, b * width);
		bucket->operations = sample_flow(operations, from_ns, to_ns, (b + 1) * width) -
				     sample_flow(operations, from_ns, to_ns, b * width);
		*(write ? &bucket->bytes_written : &bucket->bytes_read) = moved;
		if (b * width < phase->ramp_ns) {
			target->ramp_bytes += moved;
			continue;
		}
		target->bytes += moved;
		*(write ? &target->bytes_written : &target->bytes_read) += moved;
		target->operations += bucket->operations;
	}
}

/* Adds a top device under a host, with the target's share. */
static inline struct result_device *sample_device(struct result_phase *phase, uint32_t h,
						  const char *name, const char *target,
						  double share)
{
	struct result_phase_host *host = &phase->hosts[h];
	struct result_device *device = RECORD_APPEND(host->devices, host->devices_count);

	device->device = mem_text(name);
	device->share = share;
	struct name *entry = RECORD_APPEND(device->targets, device->targets_count);
	entry->name = mem_text(target);
	return device;
}

/* The plan of the sample's phases, without gates; made where there is none. */
static inline struct plan *sample_plan(struct sample *sample)
{
	struct result *result = &sample->result;

	if (!result->plan) {
		result->plan = mem_new(1, sizeof(*result->plan));
		result->plan->name = mem_text("sample");
		result->plan->repeat = 1;
		result->plan->bucket = 100 * NS_PER_MS;
		result->plan->min_window = S;
		result->plan->io_timeout = 60 * S;
		result->plan->fleet.suspect_after = 3 * S;
		result->plan->fleet.dead_after = 10 * S;
	}
	for (uint32_t p = result->plan->phases_count; p < result->phases_count; p++) {
		struct phase *phase =
			RECORD_APPEND(result->plan->phases, result->plan->phases_count);
		phase->name = mem_text(result->phases[p].name);
		phase->op = result->phases[p].op[0] == 'w' ? PHASE_OP_WRITE : PHASE_OP_READ;
		phase->block_size = 1 << 20;
		phase->workers = 1;
		phase->queue_depth = 1;
		phase->runtime = 10 * S;
	}
	return result->plan;
}

static inline void sample_release(struct sample *sample)
{
	for (uint32_t p = 0; p < sample->result.phases_count; p++) {
		struct result_phase *phase = &sample->result.phases[p];
		struct phase_series *series = &sample->series.phases[p];
		for (uint32_t h = 0; h < phase->hosts_count; h++) {
			for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
				free(series->series[h][t].buckets);
			free(series->series[h]);
			free(series->latency[h]);
		}
		free(series->series);
		free(series->latency);
	}
	free(sample->series.phases);
	record_release(&result_table, &sample->result);
	*sample = (struct sample){0};
}

#endif
