#include "agent/engine_choice.h"

#include <string.h>

static bool has_note(const struct ready *ready, const char *text)
{
	for (uint32_t i = 0; i < ready->notes_count; i++)
		if (!strcmp(ready->notes[i].name, text))
			return true;
	return false;
}

/* `why`: sync was not asked for. */
static const struct engine_ops *choose(const struct part_context *context, struct error *why)
{
	*why = (struct error){0};
	if (context->phase->engine == PHASE_ENGINE_SYNC)
		return &engine_sync;
	if (!engine_uring.probe(why))
		return &engine_uring;
	if (context->phase->engine == PHASE_ENGINE_URING)
		return NULL;
	error_prefix(why, "engine is sync, not uring");
	if (!has_note(context->ready, why->text))
		part_note(context, "%s", why->text);
	return &engine_sync;
}

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
	target->engine = nulls ? &engine_null : choose(context, &why);
	if (target->engine)
		return check_depth(target, context->phase, why.text, err);
	error_set(err, ERROR_REFUSED, "engine uring is not possible: %s; or use 'engine: auto'",
		  why.text);
	return -1;
}

int engine_choose(struct load_target *target, const struct part_context *context, struct error *err)
{
	if (!choose_for(target, context, err))
		return 0;
	error_prefix(err, "target '%s'", target->target->name);
	return -1;
}
