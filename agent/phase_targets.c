#include "agent/phase_targets.h"

#include <stdlib.h>
#include <string.h>

#include "agent/engine_choice.h"
#include "agent/extent.h"
#include "common/memory.h"

/* No direct I/O that we know of wants more than a page. */
#define LEAST_ALIGNMENT 4096

static const struct target *look_up(const struct prepare *prepare, const char *name,
				    struct error *err)
{
	for (uint32_t i = 0; name && i < prepare->targets_count; i++)
		if (prepare->targets[i].name && !strcmp(prepare->targets[i].name, name))
			return &prepare->targets[i];
	error_set(err, ERROR_REFUSED, "this host has no target '%s'", name ? name : "");
	return NULL;
}

static struct part *part_of(const struct phase_targets *targets, const struct target *target)
{
	for (uint32_t i = 0; i < targets->parts_count; i++)
		if (targets->parts[i]->target == target)
			return targets->parts[i];
	return NULL;
}

/* Two names for one place would write over each other. */
static int check_twice(const struct phase_targets *targets, const struct part *part,
		       const struct phase *phase, struct error *err)
{
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		const struct part *other = targets->parts[i];
		if (other == part || other->kind != part->kind || part->kind == PART_NULL)
			continue;
		bool same = part->kind == PART_FILE
				    ? !strcmp(part->path, other->path)
				    : part->storage.device_id == other->storage.device_id;
		if (!same || (part->kind == PART_DEVICE && !phase_writes(phase)))
			continue;
		error_set(err, ERROR_REFUSED,
			  "targets '%s' and '%s' are both '%s': use one of them in a phase",
			  other->target->name, part->target->name, part->path);
		return -1;
	}
	return 0;
}

static struct part *add_part(struct phase_targets *targets, const struct target *target,
			     const struct part_context *context, struct error *err)
{
	struct part *part = part_of(targets, target);

	if (part)
		return part;
	targets->parts =
		mem_resize(targets->parts, targets->parts_count + 1, sizeof(*targets->parts));
	part = mem_new(1, sizeof(*part));
	targets->parts[targets->parts_count++] = part;
	if (part_find(part, target, context, err) ||
	    check_twice(targets, part, context->phase, err))
		return NULL;
	return part;
}

static int check_kind(const struct target *target, struct error *err)
{
	int kinds = !!target->path + !!target->device + target_is_stripe(target) + target->null;

	if (kinds == 1)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "target '%s' is %s of path, device, stripe and null: give it exactly one",
		  target->name, kinds ? "more than one" : "none");
	return -1;
}

static int add_stripe_part(struct phase_targets *targets, struct load_target *stripe,
			   const struct target *target, const struct part_context *context,
			   struct error *err)
{
	if (check_kind(target, err))
		return -1;
	if (target_is_stripe(target)) {
		error_set(err, ERROR_REFUSED,
			  "stripe '%s' is over '%s', which is a stripe itself: name paths, devices "
			  "or null targets",
			  stripe->target->name, target->name);
		return -1;
	}
	struct part *part = add_part(targets, target, context, err);
	if (!part)
		return -1;
	for (uint32_t i = 0; i < stripe->parts_count; i++) {
		if (stripe->parts[i] != part)
			continue;
		error_set(err, ERROR_REFUSED, "stripe '%s' names '%s' twice: name each part once",
			  stripe->target->name, target->name);
		return -1;
	}
	stripe->parts[stripe->parts_count++] = part;
	return 0;
}

static int find_parts(struct phase_targets *targets, struct load_target *target,
		      const struct prepare *prepare, const struct part_context *context,
		      struct error *err)
{
	const struct target *of = target->target;

	if (check_kind(of, err))
		return -1;
	target->parts = mem_new(of->stripe_count ? of->stripe_count : 1, sizeof(*target->parts));
	if (!target_is_stripe(of))
		return add_stripe_part(targets, target, of, context, err);
	for (uint32_t i = 0; i < of->stripe_count; i++) {
		const struct target *part = look_up(prepare, of->stripe[i].name, err);
		if (!part) {
			error_prefix(err, "stripe '%s'", of->name);
			return -1;
		}
		if (add_stripe_part(targets, target, part, context, err))
			return -1;
	}
	return 0;
}

static int find_target(struct phase_targets *targets, const char *name,
		       const struct prepare *prepare, const struct part_context *context,
		       struct error *err)
{
	const struct target *of = look_up(prepare, name, err);

	if (!of)
		return -1;
	for (uint32_t i = 0; i < targets->targets_count; i++) {
		if (targets->targets[i].target != of)
			continue;
		error_set(err, ERROR_REFUSED, "phase '%s' names target '%s' twice: name it once",
			  prepare->phase.name, name);
		return -1;
	}
	struct load_target *target = &targets->targets[targets->targets_count++];
	target->target = of;
	if (find_parts(targets, target, prepare, context, err))
		return -1;
	target->stripe = (struct stripe){
		.unit = of->stripe_unit ? of->stripe_unit : 512,
		.parts = target->parts_count,
	};
	if (engine_choose(target, context, err))
		return -1;
	return extent_measure(target, &prepare->phase, err);
}

int phase_targets_find(struct phase_targets *targets, const struct prepare *prepare,
		       const struct part_context *context, struct error *err)
{
	uint32_t count = prepare->phase.targets_count;

	targets->targets = mem_new(count, sizeof(*targets->targets));
	for (uint32_t i = 0; i < count; i++) {
		targets->at = prepare->phase.targets[i].name;
		if (find_target(targets, targets->at, prepare, context, err))
			return -1;
	}
	targets->at = NULL;
	return 0;
}

int phase_targets_look(struct phase_targets *targets, const struct part_context *context,
		       struct error *err)
{
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		targets->at = targets->parts[i]->target->name;
		if (part_look(targets->parts[i], context, err))
			return -1;
	}
	targets->at = NULL;
	return 0;
}

static void add_place(const struct part *part, const struct part_context *context)
{
	struct ready *ready = context->ready;
	struct ready_place *place = RECORD_APPEND(ready->places, ready->places_count);
	bool is_read = context->phase->op != PHASE_OP_WRITE;

	*place = (struct ready_place){
		.target = mem_text(part->target->name),
		.path = mem_text(part->path),
		.is_device = part->kind == PART_DEVICE,
		.is_made = part->kind == PART_FILE && part->is_absent,
		.bytes = part->used_bytes,
		.identity = part->identity && *part->identity ? mem_text(part->identity) : NULL,
		.data = part->data && *part->data ? mem_text(part->data) : NULL,
	};
	if (part->kind == PART_FILE && is_read)
		place->layout_bytes =
			written_missing(context->written, part->path, part->used_bytes);
}

void phase_targets_places(const struct phase_targets *targets, const struct part_context *context)
{
	for (uint32_t i = 0; i < targets->parts_count; i++)
		if (targets->parts[i]->kind != PART_NULL)
			add_place(targets->parts[i], context);
}

int phase_targets_open(struct phase_targets *targets, const struct part_context *context,
		       struct error *err)
{
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		targets->at = targets->parts[i]->target->name;
		if (part_open(targets->parts[i], context, err))
			return -1;
	}
	for (uint32_t i = 0; i < targets->targets_count; i++) {
		targets->at = targets->targets[i].target->name;
		if (engine_choose(&targets->targets[i], context, err))
			return -1;
	}
	targets->at = NULL;
	return 0;
}

void phase_targets_close(struct phase_targets *targets)
{
	for (uint32_t i = 0; i < targets->parts_count; i++)
		part_close(targets->parts[i]);
}

void phase_targets_release(struct phase_targets *targets)
{
	for (uint32_t i = 0; i < targets->targets_count; i++)
		free(targets->targets[i].parts);
	free(targets->targets);
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		part_release(targets->parts[i]);
		free(targets->parts[i]);
	}
	free(targets->parts);
	*targets = (struct phase_targets){0};
}

/* What is weakest of the parts holds for the stripe. */
void phase_targets_describe(const struct load_target *target, struct ready_target *into)
{
	const struct platform_storage *first = &target->parts[0]->storage;

	*into = (struct ready_target){
		.target = mem_text(target->target->name),
		.extent_bytes = target->used_bytes,
		.io = target->parts[0]->io,
		.engine = mem_text(target->engine->name),
		.engine_reason = mem_text(target->engine_reason[0] ? target->engine_reason : NULL),
		.file_system = first->file_system[0] ? mem_text(first->file_system) : NULL,
	};
	for (uint32_t i = 0; i < target->parts_count; i++) {
		const struct part *part = target->parts[i];
		if (part->io > into->io && part->io != TARGET_IO_NONE)
			into->io = part->io;
		if (part->storage.alignment_bytes > into->alignment_bytes)
			into->alignment_bytes = part->storage.alignment_bytes;
		into->ram |= part->storage.ram;
		into->no_topology |= part->storage.no_topology;
	}
}

uint64_t phase_targets_buffer_alignment(const struct load_target *target)
{
	uint64_t alignment = LEAST_ALIGNMENT;

	for (uint32_t i = 0; i < target->parts_count; i++)
		if (target->parts[i]->storage.memory_alignment_bytes > alignment)
			alignment = target->parts[i]->storage.memory_alignment_bytes;
	return alignment;
}

uint64_t phase_targets_unit(const struct load_target *target, const struct phase *phase)
{
	uint64_t unit = phase->block_size;

	for (uint32_t i = 0; i < phase->block_mix_count; i++)
		unit = written_unit(unit, phase->block_mix[i].size);
	return target->parts_count > 1 ? written_unit(unit, target->stripe.unit) : unit;
}

uint64_t phase_targets_generation(const struct load_target *target, const struct written *written)
{
	uint64_t generation = 0;

	for (uint32_t i = 0; i < target->parts_count; i++) {
		const char *path = target->parts[i]->path;
		uint64_t of = path ? written_generation(written, path) : 0;
		generation = of > generation ? of : generation;
	}
	return generation;
}
