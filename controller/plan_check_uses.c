/* Whether targets can take what phases do to them, host by host. */
#include "controller/plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/units.h"

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

/* Bytes that `text` says; UINT64_MAX: they are not known here, as of a multiple of the memory. */
static uint64_t known_bytes(const char *text)
{
	uint64_t bytes, thousandths;
	struct error ignored;

	if (!text || units_parse_size(text, &bytes, &thousandths, &ignored) < 0 || thousandths)
		return UINT64_MAX;
	return bytes;
}

/* That the phase uses of it at most. */
static uint64_t most_used(const struct target *target, const struct phase *phase)
{
	uint64_t extent = known_bytes(target->size), amount = known_bytes(phase->size);

	return extent < amount ? extent : amount;
}

/* Each worker needs a block of its own; an amount of less than one was said already. A stripe's
 * parts have to divide theirs: the agent knows. */
static void check_room(struct plan_check *check, const struct plan_scope *scope,
		       const struct phase *phase, uint32_t index, const char *path)
{
	int found = plan_scope_find(scope, phase->targets[index].name);
	uint64_t block = phase->block_size;
	char size[UNITS_TEXT_SIZE], blocks[UNITS_TEXT_SIZE];

	if (found < 0 || !scope->sound[found] || target_is_stripe(scope->targets[found]) || !block)
		return;
	uint64_t bytes = most_used(scope->targets[found], phase);
	if (bytes / block >= phase->workers || known_bytes(phase->size) < block)
		return;
	units_format_exact(size, bytes);
	units_format_exact(blocks, block);
	if (bytes < block)
		plan_check_error(
			check, &phase->targets[index], phase,
			"%s.targets[%u]: of '%.80s' %s are used%s%.80s, which is less than one "
			"block of %s; take smaller blocks or a larger size",
			path, index, phase->targets[index].name, size, scope->host ? " on " : "",
			scope->host ? scope->host : "", blocks);
	else
		plan_check_error(
			check, &phase->targets[index], phase,
			"%s.targets[%u]: of '%.80s' %s are used%s%.80s, %llu block%s of %s for "
			"%u workers; take fewer workers, smaller blocks or a larger size",
			path, index, phase->targets[index].name, size, scope->host ? " on " : "",
			scope->host ? scope->host : "", (unsigned long long)(bytes / block),
			bytes / block == 1 ? "" : "s", blocks, phase->workers);
}

/* ---- what shares what it writes to ---- */

static bool is_same_device(const struct target *a, const struct target *b)
{
	return a->device && b->device && strcmp(a->device, b->device) == 0;
}

/* For each target, which devices I/O on it reaches: each by the first target that names it. */
static bool *devices_reached(const struct plan_scope *scope)
{
	const size_t count = scope->count;
	bool *reached = mem_new(count * count, sizeof(*reached));

	for (size_t i = 0; i < count; i++) {
		size_t first = 0;
		while (first < i && !is_same_device(scope->targets[first], scope->targets[i]))
			first++;
		for (size_t a = 0; scope->targets[i]->device && a < count; a++)
			if (scope->io[a * count + i])
				reached[a * count + first] = true;
	}
	return reached;
}

/* Whether I/O on one is I/O on what the other holds its bytes in. Two file systems on one disk do
 * not collide. */
static bool collide(const struct plan_scope *scope, const bool *reached, size_t a, size_t b)
{
	const size_t count = scope->count;

	for (size_t i = 0; i < count; i++)
		if ((scope->io[a * count + i] && scope->beneath[b * count + i]) ||
		    (scope->io[b * count + i] && scope->beneath[a * count + i]) ||
		    (reached[a * count + i] && reached[b * count + i]))
			return true;
	return false;
}

/* Of each pair, once for all phases: [a * count + b]. */
static bool *collisions_find(const struct plan_scope *scope)
{
	const size_t count = scope->count;
	bool *collisions = mem_new(count * count, sizeof(*collisions));
	bool *reached = devices_reached(scope);

	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < a; b++)
			collisions[a * count + b] = collisions[b * count + a] =
				collide(scope, reached, a, b);
	free(reached);
	return collisions;
}

static void check_collisions(struct plan_check *check, const struct plan_scope *scope,
			     const bool *collisions, const struct phase *phase, const int *at,
			     uint32_t index, const char *path)
{
	const struct name *names = phase->targets;
	int b = at[index];

	for (uint32_t i = 0; b >= 0 && i < index; i++) {
		int a = at[i];
		if (a < 0 || !collisions[(size_t)a * scope->count + (size_t)b])
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

static void check_phase(struct plan_check *check, const struct plan_scope *scope,
			const bool *collisions, const struct phase *phase, const char *path)
{
	int *at = mem_new(phase->targets_count, sizeof(*at));

	check_queue_depth(check, scope, phase, path);
	for (uint32_t k = 0; k < phase->targets_count; k++) {
		at[k] = plan_scope_find(scope, phase->targets[k].name);
		if (check->defaults_sound) {
			check_extent(check, scope, phase, &phase->targets[k], path);
			check_room(check, scope, phase, k, path);
		}
		if (phase_writes(phase))
			check_collisions(check, scope, collisions, phase, at, k, path);
	}
	free(at);
}

void plan_check_phase_uses(struct plan_check *check, const struct plan_scope *scope)
{
	bool *collisions = collisions_find(scope);
	char path[64];

	for (uint32_t i = 0; i < check->plan->phases_count; i++) {
		snprintf(path, sizeof(path), "phases[%u]", i);
		if (plan_check_is_sound(check, &check->plan->phases[i]))
			check_phase(check, scope, collisions, &check->plan->phases[i], path);
	}
	free(collisions);
}
