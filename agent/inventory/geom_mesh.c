#include "agent/inventory/geom_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

void geom_mesh_release(struct geom_mesh *mesh)
{
	free(mesh->geoms);
	free(mesh->providers);
	free(mesh->consumers);
	*mesh = (struct geom_mesh){0};
}

int64_t geom_mesh_find(const struct geom_mesh *mesh, const char *name)
{
	if (strncmp(name, "/dev/", 5) == 0)
		name += 5;
	for (uint32_t i = 0; i < mesh->providers_count; i++)
		if (*name && strcmp(mesh->providers[i].name, name) == 0)
			return i;
	return -1;
}

bool geom_set_has(const struct geom_set *set, uint32_t provider)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (set->providers[i] == provider)
			return true;
	return false;
}

void geom_set_add(struct geom_set *set, uint32_t provider)
{
	if (geom_set_has(set, provider))
		return;
	set->providers = mem_resize(set->providers, set->count + 1, sizeof(*set->providers));
	set->providers[set->count++] = provider;
}

void geom_set_release(struct geom_set *set)
{
	free(set->providers);
	*set = (struct geom_set){0};
}

int64_t geom_mesh_consumed(const struct geom_mesh *mesh, const struct geom_consumer *consumer)
{
	for (uint32_t i = 0; i < mesh->providers_count; i++)
		if (mesh->providers[i].reference == consumer->reference)
			return i;
	return -1;
}

void geom_mesh_add_beneath(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set)
{
	for (uint32_t i = 0; i < mesh->consumers_count; i++) {
		if (mesh->consumers[i].geom != mesh->providers[provider].geom)
			continue;
		int64_t consumed = geom_mesh_consumed(mesh, &mesh->consumers[i]);
		if (consumed >= 0)
			geom_set_add(set, (uint32_t)consumed);
	}
}

void geom_mesh_add_all_beneath(const struct geom_mesh *mesh, uint32_t provider,
			       struct geom_set *set)
{
	geom_set_add(set, provider);
	for (uint32_t i = 0; i < set->count; i++)
		geom_mesh_add_beneath(mesh, set->providers[i], set);
}

void geom_mesh_add_above(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set)
{
	for (uint32_t i = 0; i < mesh->consumers_count; i++) {
		if (mesh->consumers[i].reference != mesh->providers[provider].reference)
			continue;
		for (uint32_t k = 0; k < mesh->providers_count; k++)
			if (mesh->providers[k].geom == mesh->consumers[i].geom)
				geom_set_add(set, k);
	}
}

const struct geom_geom *geom_mesh_user(const struct geom_mesh *mesh, uint32_t provider,
				       uint32_t *at)
{
	while (*at < mesh->consumers_count) {
		const struct geom_consumer *consumer = &mesh->consumers[(*at)++];
		if (consumer->reference == mesh->providers[provider].reference)
			return &mesh->geoms[consumer->geom];
	}
	return NULL;
}

bool geom_class_is_view(const char *class_name)
{
	static const char *const views[] = {"DEV", "LABEL", "PART", "MAP", "FLASHMAP", "RAW"};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (strcmp(views[i], class_name) == 0)
			return true;
	return false;
}
