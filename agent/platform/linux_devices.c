/* Which block devices the bytes of a file or device move on. */
#include "agent/platform/platform.h"

#include <linux/btrfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "agent/platform/linux_mounts.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"

/* A btrfs is on several devices, and its device number is on none of them. */
static void add_btrfs_members(struct names *tops, int fd)
{
	struct btrfs_ioctl_fs_info_args info;
	char folder[128];
	int used;

	memset(&info, 0, sizeof(info));
	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) < 0)
		return;
	used = snprintf(folder, sizeof(folder), "/sys/fs/btrfs/");
	for (int i = 0; i < 16; i++) {
		const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
		used += snprintf(folder + used, sizeof(folder) - (size_t)used, "%s%02x", dash,
				 info.fsid[i]);
	}
	snprintf(folder + used, sizeof(folder) - (size_t)used, "/devices");
	sysfs_add_entries(tops, folder);
}

/* Some file systems with an anonymous number name their device as the mount's source. */
static void add_source(struct names *tops, int fd)
{
	char name[PLATFORM_DEVICE_NAME];
	struct mounts mounts;
	struct error ignored;
	struct stat st;

	if (mounts_read(&mounts, &ignored) < 0)
		return;
	const struct mount *mount = mounts_find(&mounts, fd);
	if (mount && mount->source[0] == '/' && stat(mount->source, &st) == 0 &&
	    S_ISBLK(st.st_mode) && sysfs_name(st.st_rdev, name))
		names_add(tops, name);
	mounts_release(&mounts);
}

static void find_tops(struct names *tops, int fd)
{
	char name[PLATFORM_DEVICE_NAME];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	dev_t device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	if (major(device) != 0) {
		if (sysfs_name(device, name) || sysfs_counted(device, name))
			names_add(tops, name);
		return;
	}
	add_btrfs_members(tops, fd);
	if (tops->count == 0)
		add_source(tops, fd);
}

static uint32_t put(struct platform_device *devices, uint32_t count, uint32_t most,
		    const char *device, const char *under)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(devices[i].device, device) == 0)
			return count;
	if (count == most)
		return count;
	posix_copy(devices[count].device, PLATFORM_DEVICE_NAME, device);
	posix_copy(devices[count].under, PLATFORM_DEVICE_NAME, under);
	return count + 1;
}

/* By any of its names; one that is hidden has none. */
enum platform_lack platform_device_lack(const char *path)
{
	char name[PLATFORM_DEVICE_NAME];
	struct stat st;

	if (stat(path, &st) == 0) {
		if (!S_ISBLK(st.st_mode) || !sysfs_name(st.st_rdev, name))
			return PLATFORM_LACK_NOTHING;
	} else if (strncmp(path, "/dev/", 5) != 0 || !posix_copy(name, sizeof(name), path + 5)) {
		return PLATFORM_LACK_NOTHING;
	}
	for (char *slash = name; (slash = strchr(slash, '/'));)
		*slash = '!';
	return sysfs_lack(name);
}

uint32_t platform_devices(int fd, struct platform_device *devices, uint32_t most)
{
	struct names tops = {0};
	uint32_t count = 0;

	find_tops(&tops, fd);
	for (uint32_t i = 0; i < tops.count; i++)
		count = put(devices, count, most, tops.names[i], "");
	names_release(&tops);
	/* What is found is looked beneath in turn; no device twice, so this ends. */
	for (uint32_t i = 0; i < count; i++) {
		struct names beneath = {0};
		sysfs_add_beneath(&beneath, devices[i].device);
		for (uint32_t k = 0; k < beneath.count; k++)
			count = put(devices, count, most, beneath.names[k], devices[i].device);
		names_release(&beneath);
	}
	return count;
}
