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

#include "agent/inventory/geom_family.h"
#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"
#include "agent/platform/posix_signature.h"

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
		int64_t provider = geom_provider_of_path(mesh, mounts[i].f_mntfromname);
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
			geom_mesh_add_all_beneath(mesh, (uint32_t)top, &beneath);
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

/* How often this process has them open for writing itself: a run that was given up keeps what its
 * I/O needs. */
static uint32_t count_own(const struct geom_mesh *mesh, const struct geom_set *providers)
{
	uint32_t count = 0;
	struct stat st;

	for (int fd = 0; fd < getdtablesize(); fd++) {
		int flags = fcntl(fd, F_GETFL);
		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &st) < 0 ||
		    !S_ISCHR(st.st_mode))
			continue;
		int64_t provider = geom_provider_of(mesh, fd);
		count += provider >= 0 && geom_set_has(providers, (uint32_t)provider);
	}
	return count;
}

static void add_writer(struct use_list *list, const struct geom_mesh *mesh,
		       const struct geom_family *family, const struct geom_writer *writer)
{
	char text[sizeof(list->uses->text)];
	struct geom_set node = {0};

	geom_set_add(&node, writer->provider);
	uint32_t own = writer->is_node ? count_own(mesh, &node) : 0;
	geom_set_release(&node);
	if (writer->times <= own)
		return;
	geom_writer_format(family, mesh, writer, text, sizeof(text));
	use_add(list, true, "%s", text);
}

/* Virtual machines and databases write to disks that nothing else tells of. What GEOM counts of the
 * provider itself comes last: it says that somebody does, but not who. */
static void add_opened(struct use_list *list, const struct geom_mesh *mesh,
		       const struct geom_family *family)
{
	const struct geom_provider *self = &mesh->providers[family->provider];
	struct geom_writer writer;

	for (uint32_t at = 0; geom_family_writer(family, mesh, &at, &writer);)
		add_writer(list, mesh, family, &writer);
	if (!use_has_never(list) && self->writers > 0 &&
	    self->writers > count_own(mesh, &family->full))
		use_add(list, true, "%s is open for writing in something that GEOM does not name",
			self->name);
}

static void add_family(struct use_list *list, const struct geom_mesh *mesh, uint32_t provider,
		       bool ask_openers)
{
	struct geom_family family;

	geom_family_find(&family, mesh, provider);
	for (uint32_t i = 0; i < family.full.count; i++)
		add_users(list, mesh, family.full.providers[i]);
	add_mounted(list, mesh, &family.full);
	if (ask_openers)
		add_opened(list, mesh, &family);
	geom_family_release(&family);
}

int platform_device_use(int fd, const char *path, struct platform_openers *openers,
			struct platform_use *uses, int most, struct error *err)
{
	struct use_list list = {.uses = uses, .most = most};
	struct geom_mesh mesh;

	if (geom_read(&mesh, err) < 0)
		return -1;
	int64_t provider = geom_provider_of(&mesh, fd);
	int failed = -1;
	if (provider < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask what holds '%s': GEOM knows no such disk",
			  path);
		goto out;
	}
	add_family(&list, &mesh, (uint32_t)provider, openers != NULL);
	add_system(&list, &mesh, (uint32_t)provider);
	add_unprotected(&list);
	failed = add_marks(&list, fd, path, mesh.providers[provider].name, err);
out:
	geom_mesh_release(&mesh);
	return failed ? -1 : list.count;
}
