/* The stable name of the hardware behind a disk. */
#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"

/* Blanks become '_'; what has no letter or digit other than 0 names nothing. */
static bool clean(char *text)
{
	bool says = false;

	for (char *c = text; *c; c++) {
		if (!isgraph((unsigned char)*c))
			*c = '_';
		says |= isalnum((unsigned char)*c) && *c != '0';
	}
	return says;
}

static bool ask_attribute(int fd, const char *name, char text[DISK_IDENT_SIZE])
{
	struct diocgattr_arg argument;

	memset(&argument, 0, sizeof(argument));
	posix_copy(argument.name, sizeof(argument.name), name);
	argument.len = sizeof(argument.value.str);
	if (ioctl(fd, DIOCGATTR, &argument) < 0)
		return false;
	argument.value.str[sizeof(argument.value.str) - 1] = '\0';
	posix_copy(text, DISK_IDENT_SIZE, argument.value.str);
	return clean(text);
}

static bool ask_hardware(int fd, char *identity, size_t size)
{
	char text[DISK_IDENT_SIZE];

	memset(text, 0, sizeof(text));
	if (ask_attribute(fd, "GEOM::lunid", text)) {
		snprintf(identity, size, "wwn:%s", text);
		return true;
	}
	if (ioctl(fd, DIOCGIDENT, text) < 0)
		return false;
	text[sizeof(text) - 1] = '\0';
	if (!clean(text))
		return false;
	snprintf(identity, size, "serial:%s", text);
	return true;
}

/* Partitions answer with the attributes of their disk: their place in it is added. Stripes and
 * mirrors answer with none, or with a disk's; they have an ID of their own on their disks. */
static bool name_in_mesh(const struct geom_mesh *mesh, uint32_t provider, unsigned level, int fd,
			 char *identity, size_t size)
{
	const struct geom_provider *self = &mesh->providers[provider];
	const struct geom_geom *geom = &mesh->geoms[self->geom];
	struct geom_set beneath = {0};

	geom_mesh_add_beneath(mesh, provider, &beneath);
	uint32_t count = beneath.count, disk = count ? beneath.providers[0] : provider;
	geom_set_release(&beneath);
	if (geom->id[0]) {
		snprintf(identity, size, "geom:%s:%s", self->name, geom->id);
		return true;
	}
	if (count == 0)
		return ask_hardware(fd, identity, size);
	if (count > 1 || level > 16 || !geom_class_is_view(geom->class_name))
		return false;
	if (strcmp(geom->class_name, "LABEL") == 0)
		return name_in_mesh(mesh, disk, level + 1, fd, identity, size);
	/* da0p1 on da0: "p1"; of a partition in a partition, all that comes after the disk's.
	 * Tables are made anew: the name alone would stand for another region. */
	if (!self->length || !name_in_mesh(mesh, disk, level + 1, fd, identity, size))
		return false;
	const char *whole = mesh->providers[disk].name;
	size_t used = strlen(identity), shared = strlen(whole);
	const char *part =
		strncmp(self->name, whole, shared) == 0 ? self->name + shared : self->name;
	return snprintf(identity + used, size - used, "-part-%s:%" PRIu64 "+%" PRIu64, part,
			self->offset, self->length) < (int)(size - used);
}

bool platform_identity(int fd, const char *path, char identity[PLATFORM_IDENTITY_SIZE])
{
	struct geom_mesh mesh;
	struct error ignored;

	(void)path;
	identity[0] = '\0';
	if (geom_read(&mesh, &ignored) < 0)
		return false;
	int64_t provider = geom_provider_of(&mesh, fd);
	struct stat st;
	bool found =
		provider >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
		name_in_mesh(&mesh, (uint32_t)provider, 0, fd, identity, PLATFORM_IDENTITY_SIZE);
	geom_mesh_release(&mesh);
	if (!found)
		identity[0] = '\0';
	return found;
}
