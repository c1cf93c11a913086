#include "controller/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/units.h"

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
				 "%s.read_percent: a %s phase has no mix; take op: mixed, or leave "
				 "it out",
				 path, phase_op_names[phase->op]);
	if (phase->op != PHASE_OP_READ && phase->op != PHASE_OP_MIXED && phase->verify)
		plan_check_error(check, &phase->verify, phase,
				 "%s.verify: a %s phase reads nothing that could be verified; "
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
				 "%s.sync: a %s phase has nothing to sync; write none, or leave "
				 "it out",
				 path, phase_op_names[phase->op]);
}

/* Agents that end with the run know of no earlier one. */
static void check_expect(struct plan_check *check, const struct phase *phase, const char *path)
{
	const struct plan_fleet *fleet = &check->plan->fleet;

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

/* A stripe counts by its parts; null has no queue that could fill. */
static bool is_all_null(const struct plan_scope *scope, uint32_t index)
{
	for (uint32_t i = 0; i < scope->count; i++)
		if (scope->io[index * scope->count + i] && !scope->targets[i]->null &&
		    !target_is_stripe(scope->targets[i]))
			return false;
	return true;
}

static void check_queue_depth(struct plan_check *check, const struct plan_scope *scope,
			      const struct phase *phase, const char *path)
{
	if (phase->engine != PHASE_ENGINE_SYNC || phase->queue_depth <= 1)
		return;
	for (uint32_t i = 0; i < phase->targets_count; i++) {
		int target = plan_scope_find(scope, phase->targets[i].name);
		if (target < 0 || !scope->sound[target] || is_all_null(scope, (uint32_t)target))
			continue;
		plan_check_error(check, &phase->queue_depth, phase,
				 "%s.queue_depth: %u, but the sync engine has one I/O in flight a "
				 "worker; take engine: auto, or queue_depth: 1 and workers: %llu "
				 "for as many",
				 path, phase->queue_depth,
				 (unsigned long long)phase->queue_depth * phase->workers);
		return;
	}
}

void plan_check_phases(struct plan_check *check, const struct plan_scope *scope)
{
	char path[64];

	for (uint32_t i = 0; i < check->plan->phases_count; i++) {
		const struct phase *phase = &check->plan->phases[i];
		snprintf(path, sizeof(path), "phases[%u]", i);
		check_names(check, scope, phase, path);
		check_blocks(check, phase, path);
		if (!plan_check_is_sound(check, "phases", i))
			continue;
		check_end(check, i, path);
		check_buckets(check, phase, path);
		check_op(check, phase, path);
		plan_check_load(check, phase, path);
		check_expect(check, phase, path);
		check_data(check, phase, path);
		check_cpus(check, phase, path);
		check_iopoll(check, phase, path);
	}
}

/* The file or null, the target itself or a part of it, that nothing gives a size in a phase without
 * one; NULL where there is none. A stripe's own size does not make its parts. */
static const struct target *sizeless(const struct plan_scope *scope, uint32_t index)
{
	for (uint32_t i = 0; i < scope->count; i++) {
		const struct target *target = scope->targets[i];
		if (scope->io[index * scope->count + i] && scope->sound[i] && !target->size &&
		    (target->path || target->null))
			return target;
	}
	return NULL;
}

static void check_extent(struct plan_check *check, const struct plan_scope *scope,
			 const struct phase *phase, const struct name *name, const char *path)
{
	int index = plan_scope_find(scope, name->name);
	const struct target *without;

	if (phase->size || index < 0 || !(without = sizeless(scope, (uint32_t)index)))
		return;
	plan_check_error(check, without, NULL,
			 "%s: '%.80s' is used in %s, where nothing says how large it is%s%.80s; "
			 "give it a size, as 10GiB or 2x ram",
			 scope->paths[plan_scope_find(scope, without->name)], without->name, path,
			 scope->host ? " on " : "", scope->host ? scope->host : "");
}

static bool is_same_device(const struct target *a, const struct target *b)
{
	return a->device && b->device && strcmp(a->device, b->device) == 0;
}

/* Whether I/O on one is I/O on what the other holds its bytes in. Two file systems on one disk do
 * not collide. */
static bool collide(const struct plan_scope *scope, uint32_t a, uint32_t b)
{
	const size_t count = scope->count;

	for (uint32_t i = 0; i < count; i++) {
		bool io_a = scope->io[a * count + i], io_b = scope->io[b * count + i];
		if ((io_a && scope->beneath[b * count + i]) ||
		    (io_b && scope->beneath[a * count + i]))
			return true;
		for (uint32_t k = 0; io_a && k < count; k++)
			if (scope->io[b * count + k] &&
			    is_same_device(scope->targets[i], scope->targets[k]))
				return true;
	}
	return false;
}

static void check_collisions(struct plan_check *check, const struct plan_scope *scope,
			     const struct phase *phase, uint32_t index, const char *path)
{
	const struct name *names = phase->targets;
	int b = plan_scope_find(scope, names[index].name);

	for (uint32_t i = 0; b >= 0 && i < index; i++) {
		int a = plan_scope_find(scope, names[i].name);
		if (a < 0 || a == b || !collide(scope, (uint32_t)a, (uint32_t)b))
			continue;
		plan_check_error(
			check, &names[index], phase,
			"%s.targets[%u]: '%.80s' and '%.80s' share what they write to%s%.80s; "
			"write to them in phases of their own",
			path, index, names[i].name, names[index].name, scope->host ? " on " : "",
			scope->host ? scope->host : "");
		return;
	}
}

void plan_check_phase_uses(struct plan_check *check, const struct plan_scope *scope)
{
	char path[64];

	for (uint32_t i = 0; i < check->plan->phases_count; i++) {
		const struct phase *phase = &check->plan->phases[i];
		snprintf(path, sizeof(path), "phases[%u]", i);
		if (!plan_check_is_sound(check, "phases", i))
			continue;
		check_queue_depth(check, scope, phase, path);
		for (uint32_t k = 0; k < phase->targets_count; k++) {
			if (check->defaults_sound)
				check_extent(check, scope, phase, &phase->targets[k], path);
			if (phase_writes(phase))
				check_collisions(check, scope, phase, k, path);
		}
	}
}
