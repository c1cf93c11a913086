#include "common/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/random.h"

/* In the slot of a name that was removed: a search goes on past it. */
#define REMOVED UINT32_MAX

static uint32_t hash(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (uint32_t)random_mix(h);
}

/* The slot of the name, or the free one where it would be put. */
static uint32_t *find(const struct name_set *set, const char *name)
{
	uint32_t mask = set->capacity - 1;

	for (uint32_t i = hash(name) & mask;; i = (i + 1) & mask) {
		uint32_t slot = set->slots[i];
		if (!slot || (slot != REMOVED && !strcmp(set->names[slot - 1], name)))
			return &set->slots[i];
	}
}

/* At most half of the slots are ever taken, so that a search ends. */
static void grow(struct name_set *set)
{
	if (set->count < set->capacity / 2)
		return;
	set->capacity = set->capacity ? set->capacity * 2 : 16;
	set->names = mem_resize(set->names, set->capacity / 2, sizeof(*set->names));
	free(set->slots);
	set->slots = mem_new(set->capacity, sizeof(*set->slots));
	for (uint32_t i = 0; i < set->count; i++)
		if (set->names[i])
			*find(set, set->names[i]) = i + 1;
}

uint32_t name_set_find(const struct name_set *set, const char *name)
{
	uint32_t slot = set->capacity ? *find(set, name) : 0;

	return slot - 1;
}

bool name_set_add(struct name_set *set, char *name)
{
	grow(set);
	uint32_t *slot = find(set, name);
	if (*slot) {
		free(name);
		return false;
	}
	set->names[set->count++] = name;
	*slot = set->count;
	return true;
}

bool name_set_remove(struct name_set *set, const char *name)
{
	uint32_t *slot = set->capacity ? find(set, name) : NULL;

	if (!slot || !*slot)
		return false;
	free(set->names[*slot - 1]);
	set->names[*slot - 1] = NULL;
	*slot = REMOVED;
	return true;
}

char **name_set_take(struct name_set *set, uint32_t *count)
{
	char **names = set->names;

	*count = 0;
	for (uint32_t i = 0; i < set->count; i++)
		if (names[i])
			names[(*count)++] = names[i];
	free(set->slots);
	*set = (struct name_set){0};
	return names;
}

void name_set_release(struct name_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		free(set->names[i]);
	free(set->names);
	free(set->slots);
	*set = (struct name_set){0};
}
