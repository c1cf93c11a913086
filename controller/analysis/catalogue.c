#include "controller/analysis/catalogue.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const struct catalogue_part *const catalogue_parts[] = {
	&catalogue_hosts,   &catalogue_refusals,  &catalogue_windows,
	&catalogue_devices, &catalogue_timelines, &catalogue_comparisons,
	&catalogue_storage, &catalogue_sweeps,    NULL,
};

static const char *const levels[] = {"REFUSE", "INVALID", "WARN", "NOTE"};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

const struct catalogue_row *catalogue_find(const char *code)
{
	for (size_t p = 0; code && catalogue_parts[p]; p++)
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++)
			if (strcasecmp(catalogue_parts[p]->rows[r].code, code) == 0)
				return &catalogue_parts[p]->rows[r];
	return NULL;
}

const char *catalogue_level(const struct catalogue_row *row)
{
	for (size_t l = 0; l < LEVELS; l++)
		if (strncmp(row->levels, levels[l], strlen(levels[l])) == 0)
			return levels[l];
	return "?";
}

bool catalogue_has_level(const struct catalogue_row *row, const char *level)
{
	return level && strstr(row->levels, level) != NULL;
}
