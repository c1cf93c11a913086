/* geom_mesh_fuzz.c - any text as FreeBSD's kern.geom.confxml: none, or a mesh that can be asked. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/inventory/geom_family.h"
#include "common/memory.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void ask_family(const struct geom_mesh *mesh, uint32_t provider)
{
	struct geom_family family;
	struct geom_writer writer;
	char text[64];

	geom_family_find(&family, mesh, provider);
	assert(geom_set_has(&family.full, provider));
	for (uint32_t at = 0; geom_family_writer(&family, mesh, &at, &writer);)
		geom_writer_format(&family, mesh, &writer, text, sizeof(text));
	geom_family_release(&family);
}

static void ask(const struct geom_mesh *mesh, uint32_t provider)
{
	struct geom_set beneath = {0}, above = {0};
	uint32_t at = 0;

	assert(mesh->providers[provider].geom < mesh->geoms_count);
	assert(memchr(mesh->providers[provider].name, 0, sizeof(mesh->providers[provider].name)));
	geom_mesh_find(mesh, mesh->providers[provider].name);
	geom_mesh_add_beneath(mesh, provider, &beneath);
	geom_mesh_add_above(mesh, provider, &above);
	for (uint32_t i = 0; i < beneath.count; i++)
		assert(beneath.providers[i] < mesh->providers_count);
	for (uint32_t i = 0; i < above.count; i++)
		assert(above.providers[i] < mesh->providers_count);
	ask_family(mesh, provider);
	for (const struct geom_geom *user; (user = geom_mesh_user(mesh, provider, &at));)
		geom_class_is_view(user->class_name);
	geom_set_release(&beneath);
	geom_set_release(&above);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct geom_mesh mesh;
	char *text = mem_new(size + 1, 1);

	memcpy(text, data, size);
	if (geom_mesh_parse(&mesh, text)) {
		for (uint32_t i = 0; i < mesh.providers_count && i < 64; i++)
			ask(&mesh, i);
		accepted = mesh.providers_count > 0;
		geom_mesh_release(&mesh);
	} else {
		assert(!mesh.geoms_count && !mesh.providers_count && !mesh.consumers_count);
	}
	free(text);
	return 0;
}
