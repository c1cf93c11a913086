#include "controller/analysis/known.h"

#include <stddef.h>

#include "common/text.h"

struct known known_of(const struct result *result, const struct result_host *about)
{
	struct known known = {.fleet = facts_hardware(result->facts)};

	if (!result->facts && result->plan && result->plan->expect)
		known.fleet = *result->plan->expect;
	if (about && about->expect)
		known.own = *about->expect;
	return known;
}

const struct fact_storage *known_storage(const struct known *known, const char *target)
{
	const struct fact_storage *own = hardware_storage(&known->own, target);

	return own ? own : hardware_storage(&known->fleet, target);
}

static bool is_replaced(const struct known *known, const struct fact_link *link)
{
	for (uint32_t l = 0; l < known->own.links_count; l++)
		if (text_is(known->own.links[l].link, link->link))
			return true;
	return false;
}

const struct fact_link *known_link(const struct known *known, uint32_t index)
{
	if (index < known->own.links_count)
		return &known->own.links[index];
	index -= known->own.links_count;
	for (uint32_t l = 0; l < known->fleet.links_count; l++)
		if (!is_replaced(known, &known->fleet.links[l]) && index-- == 0)
			return &known->fleet.links[l];
	return NULL;
}
