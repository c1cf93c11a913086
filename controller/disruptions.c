#include "controller/disruptions.h"

#include <stdbool.h>
#include <stdlib.h>

void disruptions_add(struct disruptions *disruptions, const struct disruption *disruption)
{
	bool is_gap = disruption->kind == DISRUPTION_GAP;
	uint32_t others = disruptions->count - disruptions->gaps;

	if (is_gap ? disruptions->gaps >= DISRUPTIONS_GAPS_MOST
		   : others >= DISRUPTIONS_OTHERS_MOST) {
		disruptions->dropped++;
		return;
	}
	struct disruption *kept = RECORD_APPEND(disruptions->list, disruptions->count);
	*kept = *disruption;
	disruptions->gaps += is_gap;
}

void disruptions_add_before(struct disruptions *disruptions, const struct disruption *earlier,
			    uint32_t count, uint64_t dropped)
{
	const struct disruptions later = *disruptions;

	*disruptions = (struct disruptions){.dropped = later.count ? 0 : dropped};
	for (uint32_t i = 0; i < count; i++)
		if (!later.count || earlier[i].from_ns < later.list[0].from_ns)
			disruptions_add(disruptions, &earlier[i]);
	for (uint32_t i = 0; i < later.count; i++)
		disruptions_add(disruptions, &later.list[i]);
	disruptions->dropped += later.dropped;
	free(later.list);
}

void disruptions_release(struct disruptions *disruptions)
{
	free(disruptions->list);
	*disruptions = (struct disruptions){0};
}
