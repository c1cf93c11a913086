/* name_set.h - names in the order they came, each once, found by hash. */
#ifndef MUSTER_COMMON_NAME_SET_H
#define MUSTER_COMMON_NAME_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Zero before use. */
struct name_set {
	char **names; /* NULL where one was removed */
	uint32_t count;
	uint32_t *slots; /* index into names + 1; 0: free */
	uint32_t capacity;
};

/* Where it stands in `names`; UINT32_MAX: nowhere. */
uint32_t name_set_find(const struct name_set *set, const char *name);

/* Takes `name`. Where it is there already it is freed and the answer is false. */
bool name_set_add(struct name_set *set, char *name);
/* False: it was not there. */
bool name_set_remove(struct name_set *set, const char *name);

/* Hands the names that are left to the caller, in order; the set is empty after. */
char **name_set_take(struct name_set *set, uint32_t *count);
void name_set_release(struct name_set *set);

#endif
