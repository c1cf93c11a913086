#include "agent/expect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/known_data.h"

static int refuse(const struct part *part, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(const struct part *part, struct error *err, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	error_set(err, ERROR_REFUSED, "target '%s': %s", part->target->name, text);
	return -1;
}

/* ---- before a phase that expects ---- */

/* That this kernel has, so that it is there on the medium or in its memory. */
static bool is_still_there(const struct known_data *known)
{
	struct platform_facts facts;

	if (!known->boot)
		return true;
	platform_facts(&facts);
	return strcmp(facts.boot_id, known->boot) == 0;
}

static int take(const struct part *part, const char *expect, const struct known_data *known,
		struct written *written, struct error *err)
{
	if (strcmp(known->run, expect) != 0)
		return refuse(part, err,
			      "'%s' was last written by run '%s' and not by '%s': expect that one, "
			      "or write it again",
			      part->path, known->run, expect);
	if (!is_still_there(known))
		return refuse(
			part, err,
			"run '%s' did not end its writing to '%s' with a sync (sync: none, or "
			"it was stopped), and the host was started since, so nobody knows "
			"what is left of it: write it again",
			expect, part->path);
	written_load(written, part->path, known->run, known->generation, known->ranges,
		     known->count);
	return 0;
}

static int load(const struct part *part, const char *expect, const char *spool,
		struct written *written, struct error *err)
{
	struct known_data known;
	int found = known_data_load(spool, part->known_as, &known, err);

	if (found < 0)
		return -1;
	if (!found)
		return refuse(part, err,
			      "nothing is known of what run '%s' wrote to '%s': this agent must "
			      "have written it, with this spool ('%s'), to the end of a phase",
			      expect, part->path, spool);
	int failed = take(part, expect, &known, written, err);
	known_data_release(&known);
	return failed;
}

static int expect_part(const struct part *part, const char *expect, const char *spool,
		       struct written *written, struct error *err)
{
	uint64_t from, to;
	uint32_t count;

	if (part->kind == PART_NULL)
		return refuse(part, err, "null holds no data that run '%s' could have written",
			      expect);
	if (part->is_absent)
		return refuse(part, err,
			      "'%s' is not there: run '%s' must have said 'keep: true' of it",
			      part->path, expect);
	written_ranges(written, part->path, &count);
	const char *from_run = written_from(written, part->path);
	if (count && (!from_run || strcmp(from_run, expect) != 0))
		return refuse(part, err,
			      "this run has written to '%s' itself: expect run '%s' in a phase "
			      "before, or leave expect out",
			      part->path, expect);
	if (!count && load(part, expect, spool, written, err))
		return -1;
	if (written_gap(written, part->path, 0, part->used_bytes, &from, &to))
		return refuse(part, err,
			      "run '%s' has not written to '%s' at offset %llu, and the phase "
			      "reads up to %llu: lower size",
			      expect, part->path, (unsigned long long)from,
			      (unsigned long long)part->used_bytes);
	return 0;
}

int expect_load(struct phase_targets *targets, const char *expect, const char *spool,
		struct written *written, struct error *err)
{
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		targets->at = targets->parts[i]->target->name;
		if (expect_part(targets->parts[i], expect, spool, written, err))
			return -1;
	}
	targets->at = NULL;
	return 0;
}

/* ---- around a phase that writes ---- */

int expect_forget(const struct phase_targets *targets, const struct phase *phase, const char *spool,
		  const struct written *written, struct error *err)
{
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		struct part *part = targets->parts[i];
		bool is_laid_out = part->kind == PART_FILE &&
				   written_missing(written, part->path, part->used_bytes);
		part->is_changed = part->kind != PART_NULL && (phase_writes(phase) || is_laid_out);
		if (part->is_changed && known_data_drop(spool, part->known_as, err))
			return -1;
	}
	return 0;
}

void expect_remember(const struct phase_targets *targets, const char *run, const char *spool,
		     const struct written *written)
{
	struct platform_facts facts;

	platform_facts(&facts);
	for (uint32_t i = 0; i < targets->parts_count; i++) {
		const struct part *part = targets->parts[i];
		struct error ignored;
		struct known_data known = {.run = (char *)run,
					   .key = part->known_as,
					   .boot = part->is_unsynced ? facts.boot_id : NULL};
		if (!part->is_changed || part->is_in_doubt ||
		    (part->is_unsynced && !facts.boot_id[0]))
			continue;
		/* Lent: only read from. */
		known.ranges =
			(struct written_range *)written_ranges(written, part->path, &known.count);
		known.generation = written_generation(written, part->path);
		known_data_save(spool, &known, &ignored);
	}
}
