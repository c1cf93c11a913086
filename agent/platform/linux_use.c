/* What holds a device, so that nobody writes over it. */
#include "agent/platform/platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/platform/linux_family.h"
#include "agent/platform/linux_loop.h"
#include "agent/platform/linux_mounts.h"
#include "agent/platform/linux_openers.h"
#include "agent/platform/linux_signature.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/linux_twins.h"
#include "agent/platform/posix.h"
#include "common/memory.h"

#define MOST_DEVICES 512

/* The device that a path names, when it is a block device; else an empty name. */
static void name_of_path(const char *path, char name[PLATFORM_DEVICE_NAME])
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) < 0 || !S_ISBLK(st.st_mode) ||
	    !sysfs_name(st.st_rdev, name))
		name[0] = '\0';
}

/* "sda1", "partition sda1", or "dm-0, which ...": how a sentence calls one of the family. */
static const char *call(char text[96], const char *device, const char *name)
{
	char disk[PLATFORM_DEVICE_NAME];

	if (strcmp(device, name) == 0)
		snprintf(text, 96, "%s", name);
	else if (sysfs_disk(device, disk) && strcmp(disk, name) == 0)
		snprintf(text, 96, "partition %s", device);
	else if (sysfs_disk(name, disk) && strcmp(disk, device) == 0)
		snprintf(text, 96, "the whole disk %s", device);
	else if (is_twin(name, device))
		snprintf(text, 96, "%s, another path to %s,", device, name);
	else
		snprintf(text, 96, "%s, which has bytes of %s,", device, name);
	return text;
}

static void add_mount(struct use_list *list, const struct family *family, const char *name,
		      const struct mount *mount)
{
	char device[PLATFORM_DEVICE_NAME], text[96];

	if (!sysfs_name(mount->device, device) || !family_has(family, device))
		name_of_path(mount->source, device);
	if (device[0] && family_has(family, device))
		use_add(list, true, "%s is mounted on %.100s", call(text, device, name),
			mount->point);
}

static int add_mounted(struct use_list *list, const struct family *family, const char *name,
		       struct error *err)
{
	struct mounts mounts;

	if (mounts_read(&mounts, err) < 0)
		return -1;
	for (uint32_t i = 0; i < mounts.count; i++)
		add_mount(list, family, name, &mounts.mounts[i]);
	mounts_release(&mounts);
	return 0;
}

/* A mounted btrfs has a folder there, with all of its devices, only one of which is a source. */
static void add_btrfs(struct use_list *list, const struct family *family, const char *name)
{
	DIR *folder = opendir("/sys/fs/btrfs");
	char path[320], text[96];

	if (!folder)
		return;
	for (struct dirent *entry; (entry = readdir(folder));) {
		struct names members = {0};
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/devices", entry->d_name);
		sysfs_add_entries(&members, path);
		for (uint32_t i = 0; i < members.count; i++)
			if (family_has(family, members.names[i]))
				use_add(list, true, "%s is a device of the mounted btrfs %s",
					call(text, members.names[i], name), entry->d_name);
		names_release(&members);
	}
	closedir(folder);
}

static void add_held(struct use_list *list, const struct family *family, const struct names *names,
		     const char *name)
{
	char text[96];

	for (uint32_t i = 0; i < names->count; i++) {
		struct names holders = {0};
		if (!names_has(&family->beneath, names->names[i]))
			sysfs_add_linked(&holders, names->names[i], "holders");
		for (uint32_t k = 0; k < holders.count; k++)
			use_add(list, true, "%s is part of %s", call(text, names->names[i], name),
				holders.names[k]);
		names_release(&holders);
	}
}

static void add_holders(struct use_list *list, const struct family *family, const char *name)
{
	add_held(list, family, &family->full, name);
	add_held(list, family, &family->whole, name);
}

/* A kernel without swap has no such file; nor is there one where /proc shows processes alone. */
static int no_swaps(struct error *err)
{
	int reason = errno;

	if (reason == ENOENT && access("/proc/version", F_OK) == 0)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot read '/proc/swaps': %s", strerror(reason));
	return -1;
}

/* /proc/swaps: a heading, then file or device, type, size ... */
static int add_swap(struct use_list *list, const struct family *family, const char *name,
		    struct error *err)
{
	FILE *file = fopen("/proc/swaps", "re");
	char device[PLATFORM_DEVICE_NAME], text[96], line[4352];

	if (!file)
		return no_swaps(err);
	if (!fgets(line, sizeof(line), file)) {
		error_set(err, ERROR_SYSTEM, "'/proc/swaps' does not even have its heading");
		fclose(file);
		return -1;
	}
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\n")] = '\0';
		mounts_unescape(line);
		name_of_path(line, device);
		if (device[0] && family_has(family, device))
			use_add(list, true, "%s is swap", call(text, device, name));
	}
	fclose(file);
	return 0;
}

/* Virtual machines and databases do without O_EXCL. */
static void add_opened(struct use_list *list, struct platform_openers *openers,
		       const struct family *family, const char *name)
{
	char device[PLATFORM_DEVICE_NAME], text[96], more[48];

	if (!openers)
		return;
	openers_read(openers);
	for (uint32_t i = 0; i < openers->count; i++) {
		const struct platform_opener *opener = &openers->list[i];
		if (!sysfs_name(opener->device, device) || !family_has(family, device))
			continue;
		snprintf(more, sizeof(more), " and %u more process%s", opener->others,
			 opener->others == 1 ? "" : "es");
		use_add(list, true, "%s is open for writing in %s (pid %u)%s",
			call(text, device, name), opener->program, opener->process,
			opener->others ? more : "");
	}
}

static bool is_beneath(const char *place, const char *name)
{
	struct platform_device *devices = mem_new(MOST_DEVICES, sizeof(*devices));
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = false;

	uint32_t count = fd < 0 ? 0 : platform_devices(fd, devices, MOST_DEVICES);
	for (uint32_t i = 0; i < count && !found; i++)
		found = strcmp(devices[i].device, name) == 0;
	if (fd >= 0)
		close(fd);
	free(devices);
	return found;
}

/* The disks that the running system itself stands on. */
static void add_system(struct use_list *list, const char *name)
{
	static const char *const places[] = {"/", "/boot", "/usr"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (is_beneath(places[i], name))
			use_add(list, true, "%s is a system disk: %s is on it", name, places[i]);
}

/* The same device once more, by way of the descriptor: its path may have changed its meaning. */
static int reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
}

/* Last, since it tells that something holds the device but not what: also what other mount
 * namespaces have mounted, and holders of which sysfs has no word (ZFS, drbd). */
static int add_claimed(struct use_list *list, int fd, const char *name, struct error *err)
{
	int claimed = reopen(fd, O_EXCL);

	if (claimed >= 0) {
		close(claimed);
		return 0;
	}
	if (errno != EBUSY) {
		error_set(err, ERROR_SYSTEM, "cannot ask who holds %s: %s", name, strerror(errno));
		return -1;
	}
	if (!use_has_never(list))
		use_add(list, true,
			"%s is held by something that this system does not name (O_EXCL says busy)",
			name);
	return 0;
}

/* Another loop device over the same file, or another path to the disk, can be mounted, also where
 * that is not seen from here. */
static int add_sharing_claimed(struct use_list *list, const struct names *sharing, const char *name,
			       struct error *err)
{
	char text[96];

	for (uint32_t i = 0; i < sharing->count; i++) {
		const char *other = sharing->names[i];
		int claimed = strcmp(other, name) == 0 ? 0 : loop_claimed(other);
		if (claimed < 0) {
			const char *reason = strerror(errno);
			error_set(err, ERROR_SYSTEM, "cannot ask who holds %s by '/dev/%s': %s",
				  call(text, other, name), other, reason);
			return -1;
		}
		if (claimed)
			use_add(list, true, "%s is held by something (O_EXCL says busy)",
				call(text, other, name));
	}
	return 0;
}

static void add_read_only(struct use_list *list, int fd, const char *name)
{
	int read_only = 0;

	if (ioctl(fd, BLKROGET, &read_only) == 0 && read_only)
		use_add(list, true, "%s is read-only", name);
}

static int add_signatures(struct use_list *list, int fd, const char *name, struct error *err)
{
	/* Not with the caller's descriptor: it may be direct, and libblkid does not align. */
	int buffered = reopen(fd, 0);

	if (buffered < 0) {
		error_set(err, ERROR_SYSTEM, "cannot open %s for reading: %s", name,
			  strerror(errno));
		return -1;
	}
	int failed = signature_add(list, buffered, name, err);
	close(buffered);
	return failed;
}

static int add_reasons(struct use_list *list, int fd, const char *name,
		       struct platform_openers *openers, struct error *err)
{
	struct family family;

	family_find(&family, name);
	int failed =
		add_mounted(list, &family, name, err) < 0 || add_swap(list, &family, name, err) < 0;
	add_btrfs(list, &family, name);
	add_holders(list, &family, name);
	add_opened(list, openers, &family, name);
	if (!failed && !use_has_never(list))
		failed = add_sharing_claimed(list, &family.sharing, name, err) < 0;
	family_release(&family);
	add_system(list, name);
	add_read_only(list, fd, name);
	if (failed || add_claimed(list, fd, name, err) < 0)
		return -1;
	return add_signatures(list, fd, name, err);
}

int platform_device_use(int fd, const char *path, struct platform_openers *openers,
			struct platform_use *uses, int most, struct error *err)
{
	struct use_list list = {.uses = uses, .most = most};
	char name[PLATFORM_DEVICE_NAME];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || !sysfs_name(st.st_rdev, name)) {
		error_set(err, ERROR_SYSTEM,
			  "cannot ask what holds '%s': sysfs knows no such block device", path);
		return -1;
	}
	return add_reasons(&list, fd, name, openers, err) < 0 ? -1 : list.count;
}
