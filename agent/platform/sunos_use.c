/* What holds a disk. Slices overlap (s2 and p0 are all of it), so what is true of any slice counts
 * for the whole disk. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stropts.h>
#include <sys/dumpadm.h>
#include <sys/mnttab.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/vfstab.h>
#include <unistd.h>

#include "agent/platform/posix.h"
#include "agent/platform/posix_signature.h"
#include "agent/platform/sunos_disk.h"
#include "common/memory.h"

static bool is_on(const char *path, const struct disk *disk)
{
	struct disk other;

	return disk_find_path(path, &other) && strcmp(other.name, disk->name) == 0;
}

static int add_mounted(struct use_list *list, const struct disk *disk, struct error *err)
{
	FILE *table = fopen(MNTTAB, "r");
	struct mnttab mount;

	if (!table) {
		error_set(err, ERROR_SYSTEM, "cannot read '%s': %s", MNTTAB, strerror(errno));
		return -1;
	}
	while (getmntent(table, &mount) == 0)
		if (strncmp(mount.mnt_special, "/dev/", 5) == 0 && is_on(mount.mnt_special, disk))
			use_add(list, true, "%s of %s is mounted on %.100s", mount.mnt_special,
				disk->name, mount.mnt_mountp);
	fclose(table);
	return 0;
}

/* What the next boot mounts is in use also while it is not mounted. */
static void add_listed(struct use_list *list, const struct disk *disk)
{
	FILE *table = fopen(VFSTAB, "r");
	struct vfstab entry;

	if (!table)
		return;
	while (getvfsent(table, &entry) == 0)
		if (entry.vfs_special && strncmp(entry.vfs_special, "/dev/", 5) == 0 &&
		    is_on(entry.vfs_special, disk))
			use_add(list, true, "%s of %s is in " VFSTAB " (%.100s)", entry.vfs_special,
				disk->name, entry.vfs_mountp ? entry.vfs_mountp : "swap");
	fclose(table);
}

static int add_swap(struct use_list *list, const struct disk *disk, struct error *err)
{
	int count = swapctl(SC_GETNSWP, NULL);

	if (count < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask for swap devices: %s", strerror(errno));
		return -1;
	}
	if (count == 0)
		return 0;
	size_t size = sizeof(swaptbl_t) + (size_t)count * sizeof(swapent_t);
	swaptbl_t *table = mem_new(1, size);
	char *paths = mem_new((size_t)count, MAXPATHLEN);
	table->swt_n = count;
	for (int i = 0; i < count; i++)
		table->swt_ent[i].ste_path = paths + (size_t)i * MAXPATHLEN;
	int found = swapctl(SC_LIST, table);
	for (int i = 0; i < found && i < count; i++) {
		const char *path = table->swt_ent[i].ste_path;
		char whole[MAXPATHLEN + 8];
		snprintf(whole, sizeof(whole), "%s%s", path[0] == '/' ? "" : "/dev/", path);
		if (is_on(whole, disk))
			use_add(list, true, "%s of %s is swap", whole, disk->name);
	}
	free(paths);
	free(table);
	return 0;
}

static void add_dump(struct use_list *list, const struct disk *disk)
{
	char path[MAXPATHLEN] = "";
	int fd = open("/dev/dump", O_RDONLY);

	if (fd < 0)
		return;
	if (ioctl(fd, DIOCGETDEV, path) >= 0 && path[0] && is_on(path, disk))
		use_add(list, true, "%s of %s is the dump device", path, disk->name);
	close(fd);
}

int platform_device_use(int fd, const char *path, struct platform_openers *openers,
			struct platform_use *uses, int most, struct error *err)
{
	struct use_list list = {.uses = uses, .most = most};
	struct platform_storage storage;
	struct disk disk;

	(void)openers;
	if (!disk_find(fd, &disk)) {
		error_set(err, ERROR_SYSTEM, "cannot ask what holds '%s': it is no disk", path);
		return -1;
	}
	if (add_mounted(&list, &disk, err) < 0 || add_swap(&list, &disk, err) < 0 ||
	    platform_storage(fd, path, &storage, err) < 0)
		return -1;
	add_dump(&list, &disk);
	add_listed(&list, &disk);
	/* Members of pools and of SVM are known by what is written on them; that nothing has the
	 * slice open is for platform_open_exclusive to say, since we have it open here. */
	if (marks_add(&list, fd, storage.size_bytes, storage.alignment_bytes, disk.name, err) < 0)
		return -1;
	return list.count;
}
