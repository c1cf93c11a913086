#include "agent/platform/freebsd_geom.h"

#include <sys/param.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysctl.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The text grows when a disk comes between asking for its size and for itself. */
static char *read_text(struct error *err)
{
	for (int i = 0; i < 8; i++) {
		size_t size = 0;
		if (sysctlbyname("kern.geom.confxml", NULL, &size, NULL, 0) < 0)
			break;
		size += size / 4 + 4096;
		char *text = malloc(size + 1);
		if (!text)
			break;
		if (sysctlbyname("kern.geom.confxml", text, &size, NULL, 0) == 0) {
			text[size] = '\0';
			return text;
		}
		int why = errno;
		free(text);
		errno = why;
		if (why != ENOMEM)
			break;
	}
	error_set(err, ERROR_SYSTEM, "cannot read sysctl 'kern.geom.confxml': %s", strerror(errno));
	return NULL;
}

int geom_read(struct geom_mesh *mesh, struct error *err)
{
	char *text = read_text(err);

	if (!text)
		return -1;
	bool parsed = geom_mesh_parse(mesh, text);
	free(text);
	if (parsed)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot understand sysctl 'kern.geom.confxml'");
	return -1;
}

static int64_t provider_of_node(const struct geom_mesh *mesh, const struct stat *st)
{
	char name[SPECNAMELEN + 1];

	if (!S_ISCHR(st->st_mode) || !devname_r(st->st_rdev, S_IFCHR, name, (int)sizeof(name)))
		return -1;
	return geom_mesh_find(mesh, name);
}

int64_t geom_provider_of(const struct geom_mesh *mesh, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (S_ISCHR(st.st_mode))
		return provider_of_node(mesh, &st);
	if (fstatfs(fd, &fs) < 0 || strncmp(fs.f_mntfromname, "/dev/", 5) != 0)
		return -1;
	return geom_mesh_find(mesh, fs.f_mntfromname);
}

bool geom_is_disk(const struct stat *st)
{
	struct geom_mesh mesh;
	struct error ignored;

	if (!S_ISCHR(st->st_mode) || geom_read(&mesh, &ignored) < 0)
		return false;
	bool found = provider_of_node(&mesh, st) >= 0;
	geom_mesh_release(&mesh);
	return found;
}

void geom_add_all_beneath(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set)
{
	geom_set_add(set, provider);
	for (uint32_t i = 0; i < set->count; i++)
		geom_mesh_add_beneath(mesh, set->providers[i], set);
}
