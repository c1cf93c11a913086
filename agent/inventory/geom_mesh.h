/* geom_mesh.h - FreeBSD's disks, partitions, stripes and what uses them, from the text of
 * sysctl kern.geom.confxml.
 *
 * A provider (vtbd1, stripe/st0, ufs/data) offers blocks; a geom of some class (STRIPE, LABEL, VFS,
 * SWAP) consumes providers and offers others. Parsed here with plain C, so that it can be tested on
 * any system. */
#ifndef MUSTER_AGENT_INVENTORY_GEOM_MESH_H
#define MUSTER_AGENT_INVENTORY_GEOM_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct geom_geom {
	char class_name[32]; /* STRIPE */
	char name[128];
	char id[32]; /* <ID> of its configuration: what gstripe and gmirror wrote on the disks */
};
struct geom_provider {
	char name[128];          /* as under /dev */
	char type[32];           /* of a memory disk: malloc, swap, vnode */
	uint64_t offset, length; /* in bytes, of a partition on its disk; length 0: of none */
	uint64_t reference;
	uint32_t geom;    /* that offers it */
	uint32_t writers; /* how often it is open for writing, by all of its consumers */
};
struct geom_consumer {
	uint32_t geom;      /* that consumes */
	uint64_t reference; /* of the provider */
	uint32_t writers;   /* how often it has that open for writing */
};

struct geom_mesh {
	struct geom_geom *geoms;
	struct geom_provider *providers;
	struct geom_consumer *consumers;
	uint32_t geoms_count, providers_count, consumers_count;
};

/* False for what is no such text, and then the mesh is empty. A provider or consumer that does not
 * say how it is open (its <mode>) makes it none: nobody may take that for closed. */
bool geom_mesh_parse(struct geom_mesh *mesh, const char *text);
void geom_mesh_release(struct geom_mesh *mesh);

/* By name, with or without "/dev/" in front; -1 when there is none. */
int64_t geom_mesh_find(const struct geom_mesh *mesh, const char *name);

/* Indexes of providers, without duplicates. Zero it; release frees. */
struct geom_set {
	uint32_t *providers;
	uint32_t count;
};
void geom_set_add(struct geom_set *set, uint32_t provider);
bool geom_set_has(const struct geom_set *set, uint32_t provider);
void geom_set_release(struct geom_set *set);

/* Adds what lies directly beneath a provider, and what is built directly on it. */
void geom_mesh_add_beneath(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set);
void geom_mesh_add_above(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set);

/* Adds a provider and all that lies beneath it. */
void geom_mesh_add_all_beneath(const struct geom_mesh *mesh, uint32_t provider,
			       struct geom_set *set);

/* The provider that is consumed; -1: none, of a consumer that is attached to nothing. */
int64_t geom_mesh_consumed(const struct geom_mesh *mesh, const struct geom_consumer *consumer);

/* The next geom from `*at` on that consumes the provider, moving `*at` past it; NULL: no more. */
const struct geom_geom *geom_mesh_user(const struct geom_mesh *mesh, uint32_t provider,
				       uint32_t *at);

/* Whether a class of consumers is only another view (DEV, LABEL, PART) and holds nothing. */
bool geom_class_is_view(const char *class_name);

#endif
