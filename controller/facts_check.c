/* Facts that a person wrote: which were, and whether they can be used. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "controller/analysis/model.h"
#include "controller/facts.h"

#define MTU_LEAST 68U /* RFC 791: what every link has to carry whole */

void hardware_mark(struct hardware *hardware, const struct record_places *places)
{
	for (uint32_t i = 0; i < hardware->storage_count; i++) {
		struct fact_storage *storage = &hardware->storage[i];
		storage->has_offset = record_places_find(places, &storage->offset);
		storage->has_free_bytes = record_places_find(places, &storage->free_bytes);
		storage->has_free_inodes = record_places_find(places, &storage->free_inodes);
	}
	for (uint32_t i = 0; i < hardware->links_count; i++)
		record_places_forget(places, &fact_link_table, &hardware->links[i]);
}

static bool find(struct facts_fault *fault, const void *member, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool find(struct facts_fault *fault, const void *member, const char *format, ...)
{
	va_list arguments;

	fault->member = member;
	va_start(arguments, format);
	vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return true;
}

bool facts_storage_fault(const struct fact_storage *storage, struct facts_fault *fault)
{
	const char *level = fact_level_names[storage->level];

	if (storage->allocated && !storage->file_size)
		return find(fault, &storage->allocated, "allocated without file_size");
	if (storage->reference && !storage->reference_rate)
		return find(fault, &storage->reference, "reference without reference_rate");
	if (storage->level != FACT_LEVEL_UNKNOWN && storage->disks &&
	    isnan(model_media(storage->level, storage->disks, 1, false)))
		return find(fault, &storage->disks,
			    "%u disks are too few for %s: none is left for data", storage->disks,
			    level);
	if (storage->level == FACT_LEVEL_SINGLE && storage->disks > 1)
		return find(fault, &storage->disks, "%u disks, and level is single",
			    storage->disks);
	if (storage->disk_rate && (!storage->disks || storage->level == FACT_LEVEL_UNKNOWN))
		return find(fault, &storage->disk_rate,
			    "disk_rate says nothing without level and disks");
	return false;
}

bool facts_link_fault(const struct fact_link *link, struct facts_fault *fault)
{
	static const char *const legal = "2.5, 5, 8, 16, 32 or 64 (PCIe), 3, 6, 12 or 22.5 (SAS)";

	if (link->width_most && link->width > link->width_most)
		return find(fault, &link->width, "%u lanes are more than width_most, %u",
			    link->width, link->width_most);
	if (link->gt_per_s > link->gt_per_s_most)
		return find(fault, &link->gt_per_s, "%g GT/s are more than gt_per_s_most, %g",
			    link->gt_per_s, link->gt_per_s_most);
	if (link->mtu)
		return link->mtu < MTU_LEAST &&
		       find(fault, &link->mtu,
			    "an MTU of %u bytes is too small for IPv4: at least %u", link->mtu,
			    MTU_LEAST);
	if (link->gt_per_s > 0 && isnan(model_lane(link->gt_per_s)))
		return find(fault, &link->gt_per_s, "no link runs at %g GT/s: %s", link->gt_per_s,
			    legal);
	if (link->gt_per_s_most > 0 && isnan(model_lane(link->gt_per_s_most)))
		return find(fault, &link->gt_per_s_most, "no link runs at %g GT/s: %s",
			    link->gt_per_s_most, legal);
	return false;
}
