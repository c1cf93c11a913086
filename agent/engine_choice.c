#include "agent/engine_choice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool has_note(const struct ready *ready, const char *text)
{
	for (uint32_t i = 0; i < ready->notes_count; i++)
		if (!strcmp(ready->notes[i].name, text))
			return true;
	return false;
}

/* ---- auto ---- */

/* AIO waits in the submit for what is buffered. */
static bool is_direct(const struct load_target *target, const struct phase *phase)
{
	for (uint32_t i = 0; i < target->parts_count; i++)
		if (target->parts[i]->io == TARGET_IO_BUFFERED)
			return false;
	return phase->direct != PHASE_DIRECT_FALSE;
}

/* NULL: none, or a file is among them. A file system, some of the network do, may wait within
 * io_submit until an I/O is complete: a queue of one, where uring's threads wait side by side. */
static const struct part *device_that_waits(const struct load_target *target)
{
	const struct part *found = NULL;

	for (uint32_t i = 0; i < target->parts_count; i++) {
		if (!target->parts[i]->storage.waits)
			continue;
		if (target->parts[i]->kind != PART_DEVICE)
			return NULL;
		found = target->parts[i];
	}
	return found;
}

static void note_once(const struct part_context *context, const char *text)
{
	if (!has_note(context->ready, text))
		part_note(context, "%s", text);
}

__attribute__((format(printf, 3, 4))) static const struct engine_ops *
take(struct load_target *target, const struct engine_ops *engine, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(target->engine_reason, sizeof(target->engine_reason), format, args);
	va_end(args);
	return engine;
}

/* `why`: what was better, and is not to be had. */
static const struct engine_ops *without_uring(struct load_target *target,
					      const struct part_context *context, struct error *why)
{
	struct error ignored;
	bool has_aio = is_direct(target, context->phase) && !engine_aio.probe(&ignored);
	const struct engine_ops *engine = has_aio ? &engine_aio : &engine_sync;
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "engine is %s, not uring", engine->name);
	error_prefix(why, "%s", prefix);
	note_once(context, why->text);
	return take(target, engine, "auto: uring is not possible here, see the notes");
}

static const struct engine_ops *choose_best(struct load_target *target,
					    const struct part_context *context, struct error *why)
{
	const struct phase *phase = context->phase;
	const struct part *waiting = device_that_waits(target);
	struct error ignored;

	if (phase->queue_depth == 1 && target->parts_count == 1)
		return take(target, &engine_sync,
			    "auto: one I/O in flight is one system call with sync");
	if (waiting && is_direct(target, phase) && !engine_aio.probe(&ignored))
		return take(target, &engine_aio,
			    "auto: '%.80s' has no I/O that does not wait (RWF_NOWAIT), with which "
			    "uring would hand each one to a thread of the kernel",
			    waiting->path);
	if (engine_uring.probe(why))
		return without_uring(target, context, why);
	*why = (struct error){0};
	return take(target, &engine_uring, "auto: %u I/Os in flight, in one ring a worker",
		    phase->queue_depth * target->parts_count);
}

/* NULL: it is not possible, and `why`. */
static const struct engine_ops *choose(struct load_target *target,
				       const struct part_context *context, struct error *why)
{
	static const struct engine_ops *const named[] = {
		[PHASE_ENGINE_SYNC] = &engine_sync,
		[PHASE_ENGINE_URING] = &engine_uring,
		[PHASE_ENGINE_AIO] = &engine_aio,
	};
	const struct engine_ops *engine = named[context->phase->engine];

	*why = (struct error){0};
	if (context->phase->op == PHASE_OP_TRIM)
		return take(target, &engine_trim, "blocks are given back by calls of their own");
	if (!engine && context->phase->iopoll)
		engine = take(target, &engine_uring, "auto: only uring polls for completions");
	else if (!engine)
		return choose_best(target, context, why);
	else
		take(target, engine, "asked for");
	return engine->probe && engine->probe(why) ? NULL : engine;
}

/* ---- any ---- */

static int check_depth(const struct load_target *target, const struct phase *phase, const char *why,
		       struct error *err)
{
	uint32_t most = target->engine->max_depth;

	if (!most || phase->queue_depth <= most)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "queue_depth %u is not possible with the %s engine, which has %u I/O of a worker "
		  "in flight: use 'queue_depth: %u' and more workers (%llu have as much in flight)"
		  "%s%s",
		  phase->queue_depth, target->engine->name, most, most,
		  (unsigned long long)phase->workers * phase->queue_depth / most,
		  why[0] ? "; " : "", why);
	return -1;
}

/* A file says it when it is open, and its reason is empty before. */
static int check_polling(const struct load_target *target, const struct phase *phase,
			 struct error *err)
{
	for (uint32_t i = 0; phase->iopoll && i < target->parts_count; i++) {
		const struct part *part = target->parts[i];
		if (!part->storage.no_poll_reason[0])
			continue;
		error_set(err, ERROR_REFUSED,
			  "iopoll is not possible on '%s': %s; leave iopoll out", part->path,
			  part->storage.no_poll_reason);
		return -1;
	}
	return 0;
}

static int choose_for(struct load_target *target, const struct part_context *context,
		      struct error *err)
{
	uint32_t nulls = 0;
	struct error why = {0};

	for (uint32_t i = 0; i < target->parts_count; i++)
		nulls += target->parts[i]->kind == PART_NULL;
	if (nulls && nulls < target->parts_count) {
		error_set(err, ERROR_REFUSED,
			  "some parts of the stripe are null and some are not: make all of them "
			  "files and devices, or all of them null");
		return -1;
	}
	bool is_nothing = nulls || context->phase->op == PHASE_OP_IDLE;
	target->engine = is_nothing ? &engine_null : choose(target, context, &why);
	if (target->engine == &engine_uring && check_polling(target, context->phase, err))
		return -1;
	if (target->engine)
		return check_depth(target, context->phase, why.text, err);
	error_set(err, ERROR_REFUSED, "engine %s is not possible: %s; or use 'engine: auto'",
		  context->phase->engine == PHASE_ENGINE_AIO ? "aio" : "uring", why.text);
	return -1;
}

int engine_choose(struct load_target *target, const struct part_context *context, struct error *err)
{
	if (!choose_for(target, context, err))
		return 0;
	error_prefix(err, "target '%s'", target->target->name);
	return -1;
}
