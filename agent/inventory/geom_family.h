/* geom_family.h - which of GEOM's providers have bytes in common with one, and who writes them.
 *
 * Views of one disk (partitions, labels of any of these) are told apart by where they lie on it:
 * /dev/gpt/data, /dev/ufs/data and /dev/da0p2 are the same bytes, /dev/da0p3 are others. */
#ifndef MUSTER_AGENT_INVENTORY_GEOM_FAMILY_H
#define MUSTER_AGENT_INVENTORY_GEOM_FAMILY_H

#include "agent/inventory/geom_mesh.h"

struct geom_family {
	uint32_t provider; /* whose family it is */
	/* What has bytes of it: itself, its other names, what they are views of, parts of it, and
	 * what is built on any of these (a stripe, and its partitions in turn). */
	struct geom_set full;
	/* What a stripe, mirror or the like has its bytes on, under all names. */
	struct geom_set beneath;
	struct geom_set layers; /* the provider and all that it goes through, down to the disks */
};
void geom_family_find(struct geom_family *family, const struct geom_mesh *mesh, uint32_t provider);
void geom_family_release(struct geom_family *family);

/* One that has bytes of the family open for writing: whoever opened the provider's node in /dev
 * (`is_node`), or a geom of the kernel that is no layer of the provider itself and not built on
 * it. */
struct geom_writer {
	uint32_t provider; /* which is open */
	uint32_t geom;     /* by which */
	uint32_t times;
	bool is_node;
};
/* The next from `*at` on, moving `*at` past it; false: no more. */
bool geom_family_writer(const struct geom_family *family, const struct geom_mesh *mesh,
			uint32_t *at, struct geom_writer *writer);

/* As a sentence for people: "da0p1, which has bytes of da0, is open for writing ...". */
void geom_writer_format(const struct geom_family *family, const struct geom_mesh *mesh,
			const struct geom_writer *writer, char *text, size_t size);

#endif
