/* nearest.h - which legal name a person probably meant.
 *
 *     struct nearest nearest = nearest_start("blok_size");
 *     for (each legal name)
 *             nearest_try(&nearest, name);
 *     if (nearest.name)
 *             "... nearest is 'block_size'" */
#ifndef MUSTER_COMMON_NEAREST_H
#define MUSTER_COMMON_NEAREST_H

struct nearest {
	const char *found; /* what the person wrote */
	const char *name;  /* the best so far; NULL: none is near */
	unsigned distance;
};

struct nearest nearest_start(const char *found);

/* Letters left out, added, changed or swapped count one each, case does not count; one in three
 * letters may be wrong. A beginning ("seq") is near, too. `name` is kept, not copied. */
void nearest_try(struct nearest *nearest, const char *name);

#endif
