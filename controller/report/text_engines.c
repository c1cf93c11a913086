#include "controller/report/text_engines.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/report/layout.h"

#define NAMED 4 /* targets of one line */

struct place {
	uint32_t host, target;
};

static const struct result_target *target_at(const struct result_phase *phase, struct place place)
{
	return &phase->hosts[place.host].targets[place.target];
}

static bool next(const struct result_phase *phase, struct place *place)
{
	place->target++;
	while (place->host < phase->hosts_count &&
	       place->target >= phase->hosts[place->host].targets_count)
		*place = (struct place){.host = place->host + 1};
	return place->host < phase->hosts_count;
}

/* The first target at `place` or after it that an engine is known of. */
static bool find(const struct result_phase *phase, struct place *place)
{
	bool found =
		place->host < phase->hosts_count &&
		(place->target < phase->hosts[place->host].targets_count || next(phase, place));

	while (found && !target_at(phase, *place)->engine)
		found = next(phase, place);
	return found;
}

static bool is_alike(const struct result_target *a, const struct result_target *b)
{
	return text_is(a->engine, b->engine) &&
	       text_is(text_or(a->engine_reason, ""), text_or(b->engine_reason, ""));
}

static bool is_first(const struct result_phase *phase, struct place of)
{
	struct place place = {0};

	find(phase, &place);
	while (!is_alike(target_at(phase, place), target_at(phase, of))) {
		next(phase, &place);
		find(phase, &place);
	}
	return place.host == of.host && place.target == of.target;
}

/* "local1 x, local1 y and 12 more"; the caller's to free. NULL: all of the phase. */
static char *whose(const struct result_phase *phase, struct place of)
{
	char *list = mem_text("");
	uint32_t alike = 0, all = 0;
	struct place place = {0};

	for (bool any = find(phase, &place); any;
	     any = next(phase, &place) && find(phase, &place)) {
		all++;
		if (!is_alike(target_at(phase, place), target_at(phase, of)) || alike++ >= NAMED)
			continue;
		char *longer = mem_format("%s%s%s %s", list, alike > 1 ? ", " : "",
					  text_or(phase->hosts[place.host].host, "?"),
					  text_or(target_at(phase, place)->target, "?"));
		free(list);
		list = longer;
	}
	if (alike > NAMED) {
		char *longer = mem_format("%s and %u more", list, alike - NAMED);
		free(list);
		list = longer;
	}
	if (alike < all)
		return list;
	free(list);
	return NULL;
}

void text_engines_print(const struct result_phase *phase, int indent, FILE *file)
{
	struct place place = {0};

	for (bool any = find(phase, &place); any;
	     any = next(phase, &place) && find(phase, &place)) {
		if (!is_first(phase, place))
			continue;
		const struct result_target *target = target_at(phase, place);
		char *list = whose(phase, place);
		layout_paragraph(file, indent, "", "engine %s%s%s%s%s", target->engine,
				 list ? " on " : "", text_or(list, ""),
				 target->engine_reason ? "; " : "",
				 text_or(target->engine_reason, ""));
		free(list);
	}
}
