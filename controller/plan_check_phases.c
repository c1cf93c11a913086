#include "controller/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/units.h"
#include "proto/run_id.h"

/* Of one phase, which the controller holds for each target of each host: a day of 100 ms ones. */
#define BUCKETS_MAX 1000000

static void check_names(struct plan_check *check, const struct plan_scope *scope,
			const struct phase *phase, const char *path)
{
	char hint[PLAN_CHECK_HINT];
	bool *seen = mem_new(scope->count, sizeof(*seen));

	for (uint32_t i = 0; i < phase->targets_count; i++) {
		const struct name *name = &phase->targets[i];
		int target = plan_scope_find(scope, name->name);
		if (target < 0 && name->name && scope->count > 0)
			plan_check_error(
				check, name, phase, "%s.targets[%u]: there is no target '%.80s'%s",
				path, i, name->name,
				plan_check_hint(hint, name->name, scope->names, scope->count));
		else if (target >= 0 && seen[target])
			plan_check_error(check, name, phase,
					 "%s.targets[%u]: '%.80s' is in this phase already; for "
					 "more load on it take more workers",
					 path, i, name->name);
		if (target >= 0)
			seen[target] = true;
	}
	free(seen);
}

static void check_end(struct plan_check *check, uint32_t index, const char *path)
{
	const struct phase *phase = &check->plan->phases[index];
	bool has_passes = phase->op == PHASE_OP_FILL || phase->op == PHASE_OP_TRIM;
	bool endless = phase->runtime == 0 && !phase->size && !has_passes && check->defaults_sound;

	if (endless && plan_check_is_written(check, &phase->runtime))
		plan_check_error(check, &phase->runtime, phase,
				 "%s.runtime: it is 0, and there is no size; give a time, as 60s",
				 path);
	else if (endless)
		plan_check_error_in(check, "phases", index,
				    "%s: neither size nor runtime says when it ends; give "
				    "runtime: 60s, size: 10GiB or both",
				    path);
	if (phase->ramp > 0 && phase->runtime == 0 && check->defaults_sound)
		plan_check_error(check, &phase->ramp, phase,
				 "%s.ramp: it goes before runtime, and there is none; give "
				 "runtime, or leave ramp out",
				 path);
}

/* Where bucket and runtime do not go together it is the bucket, if somebody chose it. */
static void check_buckets(struct plan_check *check, const struct phase *phase, const char *path)
{
	const struct plan *plan = check->plan;
	const void *place = plan_check_is_written(check, &plan->bucket) ? (void *)&plan->bucket
									: (void *)&phase->runtime;
	char runtime[UNITS_TEXT_SIZE], bucket[UNITS_TEXT_SIZE];

	units_format_ns(runtime, (double)phase->runtime);
	units_format_ns(bucket, (double)plan->bucket);
	if (phase->runtime == 0 || plan->bucket == 0)
		return;
	if (phase->runtime < plan->bucket)
		plan_check_error(check, place, phase,
				 "%s.runtime: %s is shorter than one bucket of %s", path, runtime,
				 bucket);
	else if (phase->runtime / plan->bucket > BUCKETS_MAX ||
		 phase->ramp / plan->bucket > BUCKETS_MAX)
		plan_check_error(check, place, phase,
				 "%s.runtime: %s, with its ramp, is more than %d buckets of %s; "
				 "take a wider bucket, up to 10s, or less time",
				 path, runtime, BUCKETS_MAX, bucket);
}

static void check_blocks(struct plan_check *check, const struct phase *phase, const char *path)
{
	char size_path[128];

	snprintf(size_path, sizeof(size_path), "%s.size", path);
	uint64_t size = plan_check_size(check, &phase->size, size_path);
	if (phase->block_size % 512)
		plan_check_error(check, &phase->block_size, phase,
				 "%s.block_size: %llu bytes is not a multiple of 512; %llu is",
				 path, (unsigned long long)phase->block_size,
				 (unsigned long long)(phase->block_size / 512 * 512 + 512));
	else if (size > 0 && size < phase->block_size)
		plan_check_error(check, &phase->size, phase,
				 "%s: '%s' is less than one block of %llu bytes; write a smaller "
				 "block_size or more",
				 size_path, phase->size, (unsigned long long)phase->block_size);
}

static void check_op(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->op != PHASE_OP_MIXED && plan_check_is_written(check, &phase->read_percent))
		plan_check_error(check, &phase->read_percent, phase,
				 "%s.read_percent: op: %s has no mix; take op: mixed, or leave "
				 "it out",
				 path, phase_op_names[phase->op]);
	if (phase->op != PHASE_OP_READ && phase->op != PHASE_OP_MIXED && phase->verify)
		plan_check_error(check, &phase->verify, phase,
				 "%s.verify: op: %s reads nothing that could be verified; "
				 "add a read phase with verify: true, or leave it out",
				 path, phase_op_names[phase->op]);
	if (phase->expect && phase_writes(phase))
		plan_check_error(check, &phase->expect, phase,
				 "%s.expect: what an earlier run wrote is there to be read; take "
				 "op: read, or leave it out",
				 path);
	if (!phase_writes(phase) &&
	    (phase->sync == PHASE_SYNC_END || phase->sync == PHASE_SYNC_EACH))
		plan_check_error(check, &phase->sync, phase,
				 "%s.sync: op: %s has nothing to sync; write none, or leave "
				 "it out",
				 path, phase_op_names[phase->op]);
}

/* Agents that end with the run know of no earlier one. */
static void check_expect(struct plan_check *check, const struct phase *phase, const char *path)
{
	const struct plan_fleet *fleet = &check->plan->fleet;

	if (phase->expect && !run_id_is_given(phase->expect)) {
		plan_check_error(check, &phase->expect, phase,
				 "%s.expect: '%.80s' is no run's id; those are as "
				 "20261130-191502-3fa9, in the first line of a report and as 'run' "
				 "in run.json",
				 path, phase->expect);
		return;
	}
	for (uint32_t a = 0; phase->expect && a < fleet->agents_count; a++) {
		if (!fleet->agents[a].local || fleet->agents[a].spool)
			continue;
		plan_check_error(
			check, &phase->expect, phase,
			"%s.expect: the local agents of fleet.agents[%u] forget with each "
			"run what they wrote; give them a spool that stays, spool: "
			"DIRECTORY, in the plan that writes and in this one, or take agents "
			"that were started by themselves",
			path, a);
		return;
	}
}

/* What an agent would refuse when the phase's turn has come (verify.c). */
static void check_verify(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->verify && phase->op == PHASE_OP_MIXED && phase->access == PHASE_ACCESS_RANDOM &&
	    phase->coverage != PHASE_COVERAGE_FULL && phase->queue_depth > 1)
		plan_check_error(
			check, &phase->verify, phase,
			"%s.verify: with queue_depth %u, random reads could meet writes of "
			"the same block; take queue_depth: 1 and more workers, coverage: "
			"full, or sequential access",
			path, phase->queue_depth);
}

static void check_data(struct plan_check *check, const struct phase *phase, const char *path)
{
	if (phase->pattern != PHASE_PATTERN_ZEROS)
		return;
	if (phase->compress || phase->dedupe)
		plan_check_error(check, &phase->pattern, phase,
				 "%s.pattern: zeros are neither more nor less compressible or "
				 "alike; leave compress and dedupe out, or take pattern: random",
				 path);
	if (phase->verify)
		plan_check_error(check, &phase->pattern, phase,
				 "%s.pattern: zeros tell nothing that could be verified; leave "
				 "verify out, or take pattern: random",
				 path);
}

static void check_iopoll(struct plan_check *check, const struct phase *phase, const char *path)
{
	bool other = phase->engine == PHASE_ENGINE_SYNC || phase->engine == PHASE_ENGINE_AIO;

	if (!phase->iopoll)
		return;
	if (other)
		plan_check_error(check, &phase->iopoll, phase,
				 "%s.iopoll: only the uring engine polls; take engine: uring or "
				 "auto, or leave it out",
				 path);
	if (phase->direct != PHASE_DIRECT_TRUE)
		plan_check_error(check, &phase->iopoll, phase,
				 "%s.iopoll: buffered I/O cannot be polled for; take direct: true, "
				 "or leave it out",
				 path);
	if (phase->sync == PHASE_SYNC_EACH)
		plan_check_error(check, &phase->iopoll, phase,
				 "%s.iopoll: a ring that polls takes no fsync; take sync: end or "
				 "none, or leave it out",
				 path);
}

static void check_cpus(struct plan_check *check, const struct phase *phase, const char *path)
{
	char cpus_path[128];

	snprintf(cpus_path, sizeof(cpus_path), "%s.cpus", path);
	plan_check_cpus(check, &phase->cpus, cpus_path);
}

void plan_check_phases(struct plan_check *check, const struct plan_scope *scope)
{
	char path[64];

	for (uint32_t i = 0; i < check->plan->phases_count; i++) {
		const struct phase *phase = &check->plan->phases[i];
		snprintf(path, sizeof(path), "phases[%u]", i);
		check_names(check, scope, phase, path);
		check_blocks(check, phase, path);
		if (!plan_check_is_sound(check, phase))
			continue;
		check_end(check, i, path);
		check_buckets(check, phase, path);
		check_op(check, phase, path);
		plan_check_load(check, phase, path);
		check_expect(check, phase, path);
		check_verify(check, phase, path);
		check_data(check, phase, path);
		check_cpus(check, phase, path);
		check_iopoll(check, phase, path);
	}
}
