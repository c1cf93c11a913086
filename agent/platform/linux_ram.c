#include "agent/platform/linux_ram.h"

#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/platform/linux_loop.h"
#include "agent/platform/linux_mounts.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"
#include "common/error.h"
#include "common/memory.h"

/* A loop over a file on a loop over a file ...: more than this nobody builds. */
#define MOST_LEVELS  8
#define MOST_DEVICES 512

static bool find(int fd, unsigned level, char *reason, size_t size);

static bool is_ram_type(const char *type)
{
	return strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0 ||
	       strcmp(type, "hugetlbfs") == 0 || strcmp(type, "devtmpfs") == 0;
}

static const char *ram_magic(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return NULL;
	switch ((uint32_t)fs.f_type) {
	case TMPFS_MAGIC:
		return "tmpfs";
	case RAMFS_MAGIC:
		return "ramfs";
	case HUGETLBFS_MAGIC:
		return "hugetlbfs";
	default:
		return NULL;
	}
}

/* Devices that are memory by what they are: the name is the driver's own. */
static const char *ram_driver(const char *name)
{
	static const struct {
		const char *prefix, *what;
	} drivers[] = {
		{"zram", "a compressed RAM disk"},
		{"ram", "a RAM disk"},
		{"nullb", "a null block device, which keeps its data in memory or nowhere"},
	};
	char model[64];

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		size_t length = strlen(drivers[i].prefix);
		if (strncmp(name, drivers[i].prefix, length) == 0 && name[length] >= '0' &&
		    name[length] <= '9')
			return drivers[i].what;
	}
	if (sysfs_text(model, sizeof(model), "/sys/class/block/%s/device/model", name) &&
	    strcmp(model, "scsi_debug") == 0)
		return "a simulated SCSI disk in memory";
	return NULL;
}

/* Where the backing file cannot be opened from here, its device number still tells its mount. */
static bool backing_is_ram_mount(const struct loop *loop)
{
	struct mounts mounts;
	struct error ignored;
	bool found = false;

	if (mounts_read(&mounts, &ignored) < 0)
		return false;
	for (uint32_t i = 0; i < mounts.count && !found; i++)
		found = mounts.mounts[i].device == loop->device &&
			is_ram_type(mounts.mounts[i].type);
	mounts_release(&mounts);
	return found;
}

static bool find_behind_loop(const char *name, unsigned level, char *reason, size_t size)
{
	struct loop loop;
	char beneath[160];
	bool found;

	if (!loop_find(name, &loop))
		return false;
	int fd = loop_open_backing(&loop);
	if (fd < 0) {
		found = backing_is_ram_mount(&loop);
		snprintf(beneath, sizeof(beneath), "on a file system in memory");
	} else {
		found = find(fd, level + 1, beneath, sizeof(beneath));
		close(fd);
	}
	if (found)
		snprintf(reason, size, "on %s, a loop device over a file %s", name, beneath);
	return found;
}

static bool is_ram_device(const char *name, unsigned level, char *reason, size_t size)
{
	const char *what = ram_driver(name);

	if (!what)
		return find_behind_loop(name, level, reason, size);
	snprintf(reason, size, "on %s, %s", name, what);
	return true;
}

static bool find_in_devices(int fd, unsigned level, char *reason, size_t size)
{
	struct platform_device *devices = mem_new(MOST_DEVICES, sizeof(*devices));
	uint32_t count = platform_devices(fd, devices, MOST_DEVICES);
	bool found = false;

	for (uint32_t i = 0; i < count && !found; i++)
		found = is_ram_device(devices[i].device, level, reason, size);
	free(devices);
	return found;
}

static bool find(int fd, unsigned level, char *reason, size_t size)
{
	struct stat st;

	if (level > MOST_LEVELS || fstat(fd, &st) < 0)
		return false;
	const char *type = S_ISBLK(st.st_mode) ? NULL : ram_magic(fd);
	if (type) {
		snprintf(reason, size, "on %s, which is memory", type);
		return true;
	}
	return find_in_devices(fd, level, reason, size);
}

bool ram_find(int fd, char *reason, size_t size)
{
	return find(fd, 0, reason, size);
}
