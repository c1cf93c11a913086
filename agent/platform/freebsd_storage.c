/* What an open file or raw disk does with direct I/O, and whether it is memory.
 */
#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysctl.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"

static void set_direct(struct platform_storage *storage, enum platform_direct direct,
		       const char *reason)
{
	storage->direct = direct;
	posix_copy(storage->direct_reason, sizeof(storage->direct_reason), reason);
}

/* A setting that some kernels do not have: false then, and where it is 0. */
static bool is_set(const char *name)
{
	int value = 0;
	size_t size = sizeof(value);

	return sysctlbyname(name, &value, &size, NULL, 0) == 0 && size == sizeof(value) &&
	       value != 0;
}

static void ufs_direct(struct platform_storage *storage)
{
	/* The setting exists only in a kernel with `options DIRECTIO`. */
	if (is_set("vfs.ffs.allowrawread"))
		set_direct(storage, PLATFORM_DIRECT_WRITTEN_THROUGH,
			   "UFS reads directly with DIRECTIO, and writes through memory");
	else
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "this kernel has no 'options DIRECTIO' (or vfs.ffs.allowrawread=0): UFS "
			   "accepts O_DIRECT and reads from its cache; mount anew before a read");
}

static void zfs_direct(struct platform_storage *storage)
{
	storage->alignment_bytes = (uint32_t)getpagesize();
	storage->memory_alignment_bytes = storage->alignment_bytes;
	if (is_set("vfs.zfs.dio_enabled"))
		set_direct(storage, PLATFORM_DIRECT_YES, "");
	else
		set_direct(
			storage, PLATFORM_DIRECT_NO,
			"this ZFS accepts O_DIRECT and ignores it: set primarycache=metadata, or "
			"a size of more than twice the ARC");
}

static void file_direct(struct platform_storage *storage)
{
	const char *type = storage->file_system;

	if (strcmp(type, "ufs") == 0)
		ufs_direct(storage);
	else if (strcmp(type, "zfs") == 0)
		zfs_direct(storage);
	else if (strcmp(type, "tmpfs") == 0)
		set_direct(storage, PLATFORM_DIRECT_NO, "tmpfs is memory itself");
	else if (strcmp(type, "nfs") == 0 && is_set("vfs.nfs.nfs_directio_enable"))
		set_direct(storage, PLATFORM_DIRECT_YES, "");
	else if (strcmp(type, "nfs") == 0)
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "NFS caches here: set sysctl vfs.nfs.nfs_directio_enable=1");
	else
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "nothing says that this file system honours O_DIRECT");
}

static int ask_file(int fd, const char *path, struct platform_storage *storage, struct error *err)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask the file system of '%s': %s", path,
			  strerror(errno));
		return -1;
	}
	posix_copy(storage->file_system, sizeof(storage->file_system), fs.f_fstypename);
	/* DIRECTIO takes whole sectors; 4096 is whole ones of any disk. */
	storage->alignment_bytes = 4096;
	file_direct(storage);
	if (strcmp(fs.f_fstypename, "tmpfs") == 0) {
		storage->ram = true;
		posix_copy(storage->ram_reason, sizeof(storage->ram_reason),
			   "on tmpfs, which is memory");
	}
	return 0;
}

/* Raw disks are never cached, and what is no disk has no media size. */
static void ask_disk(int fd, struct platform_storage *storage)
{
	off_t size = 0;
	u_int sector = 0;

	if (ioctl(fd, DIOCGMEDIASIZE, &size) < 0 || ioctl(fd, DIOCGSECTORSIZE, &sector) < 0)
		return;
	storage->device = true;
	storage->size_bytes = size > 0 ? (uint64_t)size : 0;
	storage->alignment_bytes = sector;
	set_direct(storage, PLATFORM_DIRECT_YES, "");
}

static void find_ram(int fd, struct platform_storage *storage)
{
	struct geom_mesh mesh;
	struct geom_set all = {0};
	struct error ignored;

	if (storage->ram || geom_read(&mesh, &ignored) < 0)
		return;
	int64_t top = geom_provider_of(&mesh, fd);
	if (top >= 0)
		geom_mesh_add_all_beneath(&mesh, (uint32_t)top, &all);
	for (uint32_t i = 0; i < all.count && !storage->ram; i++) {
		const struct geom_provider *provider = &mesh.providers[all.providers[i]];
		storage->ram = strcmp(provider->type, "malloc") == 0 ||
			       strcmp(provider->type, "swap") == 0 ||
			       strcmp(provider->type, "preload") == 0;
		if (storage->ram)
			snprintf(storage->ram_reason, sizeof(storage->ram_reason),
				 "on %s, a memory disk", provider->name);
	}
	geom_set_release(&all);
	geom_mesh_release(&mesh);
}

int platform_storage(int fd, const char *path, struct platform_storage *storage, struct error *err)
{
	struct stat st;

	*storage = (struct platform_storage){.memory_alignment_bytes = 1};
	if (fstat(fd, &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	if (S_ISCHR(st.st_mode)) {
		storage->device_id = st.st_rdev;
		set_direct(storage, PLATFORM_DIRECT_NO, "it is no disk");
		ask_disk(fd, storage);
	} else {
		storage->device_id = st.st_dev;
		if (ask_file(fd, path, storage, err) < 0)
			return -1;
	}
	find_ram(fd, storage);
	return 0;
}

/* It is told by the open that fails. */
enum platform_lack platform_device_lack(const char *path)
{
	(void)path;
	return PLATFORM_LACK_NOTHING;
}
