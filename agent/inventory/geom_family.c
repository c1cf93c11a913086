#include "agent/inventory/geom_family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

#define MOST_LEVELS 32

/* Where the bytes of a provider are: a range of one that is no view. */
struct place {
	uint32_t root;
	uint64_t begin, end;
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool is_view(const struct geom_mesh *mesh, uint32_t provider)
{
	return geom_class_is_view(mesh->geoms[mesh->providers[provider].geom].class_name);
}

/* A view whose range is not known is taken for all of what it is a view of. */
static struct place find_place(const struct geom_mesh *mesh, uint32_t provider)
{
	struct place place = {.root = provider, .end = UINT64_MAX};

	for (int level = 0; level < MOST_LEVELS && is_view(mesh, place.root); level++) {
		const struct geom_provider *self = &mesh->providers[place.root];
		struct geom_set under = {0};
		geom_mesh_add_beneath(mesh, place.root, &under);
		bool is_one = under.count == 1;
		if (is_one) {
			place.root = under.providers[0];
			if (self->length && place.end == UINT64_MAX)
				place.end = self->length;
			place.begin = add(place.begin, self->offset);
			place.end = add(place.end, self->offset);
		}
		geom_set_release(&under);
		if (!is_one)
			break;
	}
	return place;
}

static void add_sharing(const struct geom_mesh *mesh, const struct place *places, uint32_t with,
			struct geom_set *set)
{
	const struct place *range = &places[with];

	for (uint32_t i = 0; i < mesh->providers_count; i++)
		if (places[i].root == range->root && places[i].begin < range->end &&
		    range->begin < places[i].end)
			geom_set_add(set, i);
}

/* What is made of the provider and is no view of it. */
static void add_built(const struct geom_mesh *mesh, const struct place *places, uint32_t provider,
		      struct geom_set *set)
{
	struct geom_set above = {0};

	geom_mesh_add_above(mesh, provider, &above);
	for (uint32_t i = 0; i < above.count; i++)
		if (places[above.providers[i]].root == above.providers[i])
			geom_set_add(set, above.providers[i]);
	geom_set_release(&above);
}

static void find_full(struct geom_family *family, const struct geom_mesh *mesh,
		      const struct place *places)
{
	struct geom_set whole = {0};

	geom_set_add(&whole, family->provider);
	for (uint32_t i = 0; i < whole.count; i++) {
		struct geom_set sharing = {0};
		add_sharing(mesh, places, whole.providers[i], &sharing);
		for (uint32_t k = 0; k < sharing.count; k++) {
			geom_set_add(&family->full, sharing.providers[k]);
			add_built(mesh, places, sharing.providers[k], &whole);
		}
		geom_set_release(&sharing);
	}
	geom_set_release(&whole);
}

static void find_beneath(struct geom_family *family, const struct geom_mesh *mesh,
			 const struct place *places)
{
	struct geom_set members = {0};

	geom_mesh_add_beneath(mesh, places[family->provider].root, &members);
	for (uint32_t i = 0; i < members.count; i++) {
		add_sharing(mesh, places, members.providers[i], &family->beneath);
		geom_mesh_add_beneath(mesh, places[members.providers[i]].root, &members);
	}
	geom_set_release(&members);
}

void geom_family_find(struct geom_family *family, const struct geom_mesh *mesh, uint32_t provider)
{
	struct place *places = mem_new(mesh->providers_count, sizeof(*places));

	*family = (struct geom_family){.provider = provider};
	for (uint32_t i = 0; i < mesh->providers_count; i++)
		places[i] = find_place(mesh, i);
	find_full(family, mesh, places);
	find_beneath(family, mesh, places);
	geom_mesh_add_all_beneath(mesh, provider, &family->layers);
	free(places);
}

void geom_family_release(struct geom_family *family)
{
	geom_set_release(&family->full);
	geom_set_release(&family->beneath);
	geom_set_release(&family->layers);
}

static bool is_layer(const struct geom_family *family, const struct geom_mesh *mesh, uint32_t geom)
{
	for (uint32_t i = 0; i < family->layers.count; i++)
		if (mesh->providers[family->layers.providers[i]].geom == geom)
			return true;
	return false;
}

static bool is_writer(const struct geom_family *family, const struct geom_mesh *mesh,
		      const struct geom_writer *writer)
{
	bool full = geom_set_has(&family->full, writer->provider);

	if (writer->times == 0 || !(full || geom_set_has(&family->beneath, writer->provider)))
		return false;
	if (writer->is_node)
		return true;
	/* Views pass on what their own providers are opened for. */
	return !full && !geom_class_is_view(mesh->geoms[writer->geom].class_name) &&
	       !is_layer(family, mesh, writer->geom);
}

bool geom_family_writer(const struct geom_family *family, const struct geom_mesh *mesh,
			uint32_t *at, struct geom_writer *writer)
{
	while (*at < mesh->consumers_count) {
		const struct geom_consumer *consumer = &mesh->consumers[(*at)++];
		int64_t provider = geom_mesh_consumed(mesh, consumer);
		if (provider < 0)
			continue;
		*writer = (struct geom_writer){
			.provider = (uint32_t)provider,
			.geom = consumer->geom,
			.times = consumer->writers,
			.is_node = strcmp(mesh->geoms[consumer->geom].class_name, "DEV") == 0,
		};
		if (is_writer(family, mesh, writer))
			return true;
	}
	return false;
}

void geom_writer_format(const struct geom_family *family, const struct geom_mesh *mesh,
			const struct geom_writer *writer, char *text, size_t size)
{
	const char *name = mesh->providers[writer->provider].name;
	const char *of = mesh->providers[family->provider].name;
	const struct geom_geom *geom = &mesh->geoms[writer->geom];
	char call[200] = "";

	if (writer->provider != family->provider)
		snprintf(call, sizeof(call), ", which has bytes of %.80s,", of);
	if (writer->is_node)
		snprintf(text, size,
			 "%.80s%s is open for writing (fuser /dev/%.80s may say by what)", name,
			 call, name);
	else
		snprintf(text, size, "%.80s%s is open for writing in %.80s (%s)", name, call,
			 geom->name, geom->class_name);
}
