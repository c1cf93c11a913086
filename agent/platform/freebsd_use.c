/* What holds a disk. Never by opening it for writing: that alone makes GEOM take an idle stripe
 * apart. */
#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysctl.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"
#include "agent/platform/posix_signature.h"

/* What is lost with the provider: itself, the views of it, what is built on these, and so on. */
static void find_family(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *family)
{
	geom_set_add(family, provider);
	for (uint32_t i = 0; i < family->count; i++)
		geom_mesh_add_above(mesh, family->providers[i], family);
}

/* Other names of the same blocks count too: a label of a disk is written by writing to the disk,
 * and the disk by writing to its label or partition. */
static void add_views_beneath(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set)
{
	geom_set_add(set, provider);
	for (uint32_t i = 0; i < set->count; i++) {
		uint32_t at = set->providers[i];
		if (geom_class_is_view(mesh->geoms[mesh->providers[at].geom].class_name))
			geom_mesh_add_beneath(mesh, at, set);
	}
}

static void add_users(struct use_list *list, const struct geom_mesh *mesh, uint32_t provider)
{
	const char *name = mesh->providers[provider].name;
	const struct geom_geom *user;
	uint32_t at = 0;

	while ((user = geom_mesh_user(mesh, provider, &at))) {
		if (strcmp(user->class_name, "PART") == 0)
			use_add(list, false, "%s carries a partition table", name);
		else if (strcmp(user->class_name, "SWAP") == 0)
			use_add(list, true, "%s is swap", name);
		else if (strcmp(user->class_name, "VFS") == 0)
			use_add(list, true, "%s is mounted (%s)", name, user->name);
		else if (!geom_class_is_view(user->class_name))
			use_add(list, true, "%s is part of %s (%s)", name, user->name,
				user->class_name);
	}
}

/* Read-only mounts as well, which GEOM does not protect. */
static void add_mounted(struct use_list *list, const struct geom_mesh *mesh,
			const struct geom_set *family)
{
	struct statfs *mounts = NULL;
	int count = getmntinfo(&mounts, MNT_NOWAIT);

	for (int i = 0; i < count; i++) {
		if (strncmp(mounts[i].f_mntfromname, "/dev/", 5) != 0)
			continue;
		int64_t provider = geom_mesh_find(mesh, mounts[i].f_mntfromname);
		if (provider >= 0 && geom_set_has(family, (uint32_t)provider))
			use_add(list, true, "%s is mounted on %.100s",
				mesh->providers[provider].name, mounts[i].f_mntonname);
	}
}

static void add_system(struct use_list *list, const struct geom_mesh *mesh, uint32_t provider)
{
	static const char *const places[] = {"/", "/boot", "/usr"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct geom_set beneath = {0};
		if (fd < 0)
			continue;
		int64_t top = geom_provider_of(mesh, fd);
		close(fd);
		if (top >= 0)
			geom_add_all_beneath(mesh, (uint32_t)top, &beneath);
		if (geom_set_has(&beneath, provider))
			use_add(list, true, "%s is a system disk: %s is on it",
				mesh->providers[provider].name, places[i]);
		geom_set_release(&beneath);
	}
}

static int add_marks(struct use_list *list, int fd, const char *path, const char *name,
		     struct error *err)
{
	struct platform_storage storage;

	if (platform_storage(fd, path, &storage, err) < 0)
		return -1;
	return marks_add(list, fd, storage.size_bytes, storage.alignment_bytes, name, err);
}

static void add_unprotected(struct use_list *list)
{
	int flags = 0;
	size_t size = sizeof(flags);

	if (sysctlbyname("kern.geom.debugflags", &flags, &size, NULL, 0) == 0 && (flags & 16))
		use_add(list, true,
			"kern.geom.debugflags has 16 set, which turns off GEOM's own protection: "
			"take it out");
}

static void add_family(struct use_list *list, const struct geom_mesh *mesh, uint32_t provider)
{
	struct geom_set family = {0}, beneath = {0};

	find_family(mesh, provider, &family);
	add_views_beneath(mesh, provider, &beneath);
	for (uint32_t i = 0; i < family.count; i++)
		add_users(list, mesh, family.providers[i]);
	for (uint32_t i = 0; i < beneath.count; i++) {
		add_users(list, mesh, beneath.providers[i]);
		geom_set_add(&family, beneath.providers[i]);
	}
	add_mounted(list, mesh, &family);
	geom_set_release(&family);
	geom_set_release(&beneath);
}

int platform_device_use(int fd, const char *path, struct platform_openers *openers,
			struct platform_use *uses, int most, struct error *err)
{
	struct use_list list = {.uses = uses, .most = most};
	struct geom_mesh mesh;

	(void)openers;
	if (geom_read(&mesh, err) < 0)
		return -1;
	int64_t provider = geom_provider_of(&mesh, fd);
	int failed = -1;
	if (provider < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask what holds '%s': GEOM knows no such disk",
			  path);
		goto out;
	}
	add_family(&list, &mesh, (uint32_t)provider);
	add_system(&list, &mesh, (uint32_t)provider);
	add_unprotected(&list);
	failed = add_marks(&list, fd, path, mesh.providers[provider].name, err);
out:
	geom_mesh_release(&mesh);
	return failed ? -1 : list.count;
}
