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

int64_t geom_provider_of_path(const struct geom_mesh *mesh, const char *path)
{
	struct stat st;

	if (strncmp(path, "/dev/", 5) != 0)
		return -1;
	int64_t named = geom_mesh_find(mesh, path);
	return named < 0 && stat(path, &st) == 0 ? provider_of_node(mesh, &st) : named;
}

int64_t geom_provider_of(const struct geom_mesh *mesh, int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (S_ISCHR(st.st_mode))
		return provider_of_node(mesh, &st);
	return fstatfs(fd, &fs) < 0 ? -1 : geom_provider_of_path(mesh, fs.f_mntfromname);
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
