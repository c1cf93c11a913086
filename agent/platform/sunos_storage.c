/* What an open file or raw disk is, where its bytes move, and the disks' counters. */
#include "agent/platform/platform.h"

#include <devid.h>
#include <errno.h>
#include <fcntl.h>
#include <kstat.h>
#include <stdio.h>
#include <string.h>
#include <stropts.h>
#include <sys/dkio.h>
#include <sys/fcntl.h>
#include <sys/mnttab.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vtoc.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "agent/platform/sunos_disk.h"

static void set_direct(struct platform_storage *storage, enum platform_direct direct,
		       const char *reason)
{
	storage->direct = direct;
	posix_copy(storage->direct_reason, sizeof(storage->direct_reason), reason);
}

/* A slice's own size, where it is one; else the medium's. */
static void ask_disk(int fd, struct platform_storage *storage)
{
	struct dk_minfo medium;
	struct extpart_info part;
	struct disk disk;

	memset(&medium, 0, sizeof(medium));
	memset(&part, 0, sizeof(part));
	if (!disk_find(fd, &disk))
		return;
	storage->device = true;
	set_direct(storage, PLATFORM_DIRECT_YES, "");
	if (ioctl(fd, DKIOCGMEDIAINFO, &medium) < 0 || medium.dki_lbsize == 0)
		return;
	storage->alignment_bytes = medium.dki_lbsize;
	storage->size_bytes = (uint64_t)medium.dki_capacity * medium.dki_lbsize;
	if (ioctl(fd, DKIOCEXTPARTINFO, &part) == 0 && part.p_length > 0)
		storage->size_bytes = (uint64_t)part.p_length * medium.dki_lbsize;
}

static int ask_file(int fd, const char *path, struct platform_storage *storage, struct error *err)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask the file system of '%s': %s", path,
			  strerror(errno));
		return -1;
	}
	posix_copy(storage->file_system, sizeof(storage->file_system), fs.f_basetype);
	storage->alignment_bytes = 512;
	storage->memory_alignment_bytes = 2;
	if (strcmp(fs.f_basetype, "ufs") == 0 || strcmp(fs.f_basetype, "nfs") == 0) {
		set_direct(storage, PLATFORM_DIRECT_YES, "");
	} else if (strcmp(fs.f_basetype, "zfs") == 0) {
		set_direct(
			storage, PLATFORM_DIRECT_NO,
			"ZFS has no directio(): set primarycache=metadata, or a size of more than "
			"twice the ARC");
	} else if (strcmp(fs.f_basetype, "tmpfs") == 0) {
		set_direct(storage, PLATFORM_DIRECT_NO, "tmpfs is memory itself");
		storage->ram = true;
		posix_copy(storage->ram_reason, sizeof(storage->ram_reason),
			   "on tmpfs, which is memory");
	} else {
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "nothing says that this file system honours directio()");
	}
	return 0;
}

int platform_storage(int fd, const char *path, struct platform_storage *storage, struct error *err)
{
	struct stat st;

	*storage = (struct platform_storage){.memory_alignment_bytes = 1};
	if (fstat(fd, &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
		storage->device_id = st.st_dev;
		return ask_file(fd, path, storage, err);
	}
	storage->device_id = st.st_rdev;
	set_direct(storage, PLATFORM_DIRECT_NO, "it is no disk");
	ask_disk(fd, storage);
	return 0;
}

/* The device that the file system with this number is mounted from. */
static bool find_mounted(dev_t number, struct disk *disk)
{
	FILE *table = fopen(MNTTAB, "r");
	struct mnttab mount;
	struct stat st;
	bool found = false;

	if (!table)
		return false;
	while (!found && getmntent(table, &mount) == 0)
		found = mount.mnt_special[0] == '/' && stat(mount.mnt_mountp, &st) == 0 &&
			st.st_dev == number && disk_find_path(mount.mnt_special, disk);
	fclose(table);
	return found;
}

uint32_t platform_devices(int fd, struct platform_device *devices, uint32_t most)
{
	struct disk disk;
	struct stat st;

	if (most == 0 || fstat(fd, &st) < 0)
		return 0;
	bool file = S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
	if (file ? !find_mounted(st.st_dev, &disk) : !disk_find(fd, &disk))
		return 0;
	memset(&devices[0], 0, sizeof(devices[0]));
	posix_copy(devices[0].device, PLATFORM_DEVICE_NAME, disk.name);
	return 1;
}

bool platform_device_bytes(const char *device, uint64_t *read_bytes, uint64_t *written_bytes)
{
	kstat_ctl_t *control = kstat_open();
	kstat_io_t io;
	bool found = false;

	if (!control)
		return false;
	kstat_t *entry = kstat_lookup(control, NULL, -1, (char *)device);
	if (entry && entry->ks_type == KSTAT_TYPE_IO && kstat_read(control, entry, &io) >= 0) {
		*read_bytes = io.nread;
		*written_bytes = io.nwritten;
		found = true;
	}
	kstat_close(control);
	return found;
}

/* A device id is made of the WWN or serial number; the minor's name tells slices apart. */
bool platform_identity(int fd, const char *path, char identity[PLATFORM_IDENTITY_SIZE])
{
	ddi_devid_t id;
	char *minor = NULL, *text = NULL;

	(void)path;
	identity[0] = '\0';
	if (devid_get(fd, &id) != 0)
		return false;
	if (devid_get_minor_name(fd, &minor) == 0)
		text = devid_str_encode(id, minor);
	bool fits = text && snprintf(identity, PLATFORM_IDENTITY_SIZE, "devid:%s", text) <
				    PLATFORM_IDENTITY_SIZE;
	if (text)
		devid_str_free(text);
	if (minor)
		devid_str_free(minor);
	devid_free(id);
	if (!fits)
		identity[0] = '\0';
	return fits;
}

/* It is told by the open that fails. */
enum platform_lack platform_device_lack(const char *path)
{
	(void)path;
	return PLATFORM_LACK_NOTHING;
}
