/* Files that are written over in place on a file system that copies on write: btrfs's nodatacow. */
#include "agent/platform/linux_cow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "common/memory.h"

#define MOST_SPACES 64

/* Each stands there more than once, and so is copied first. */
#define COPIED                                                                                     \
	(BTRFS_BLOCK_GROUP_DUP | BTRFS_BLOCK_GROUP_RAID1 | BTRFS_BLOCK_GROUP_RAID10 |              \
	 BTRFS_BLOCK_GROUP_RAID5 | BTRFS_BLOCK_GROUP_RAID6 | BTRFS_BLOCK_GROUP_RAID1C3 |           \
	 BTRFS_BLOCK_GROUP_RAID1C4)

static bool has_flag(int fd)
{
	int flags = 0;

	return ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_NOCOW_FL);
}

int platform_write_in_place(int fd, const char *path, struct error *err)
{
	int flags = 0;

	if (has_flag(fd))
		return 0;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		if (ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 && has_flag(fd))
			return 0;
	}
	error_set(
		err, ERROR_REFUSED,
		"'%s' cannot be made nodatacow: either its file system does not copy on write, as "
		"btrfs does, or the file holds data already: leave nodatacow out, or remove the "
		"file",
		path);
	return -1;
}

/* False also where the kernel does not say. */
static bool is_stored_once(int fd)
{
	struct btrfs_ioctl_space_args *args =
		mem_new(1, sizeof(*args) + MOST_SPACES * sizeof(args->spaces[0]));
	bool is_once = false;

	args->space_slots = MOST_SPACES;
	if (ioctl(fd, BTRFS_IOC_SPACE_INFO, args) == 0)
		is_once = args->total_spaces > 0;
	for (uint64_t i = 0; is_once && i < args->total_spaces; i++)
		if ((args->spaces[i].flags & BTRFS_BLOCK_GROUP_DATA) &&
		    (args->spaces[i].flags & COPIED))
			is_once = false;
	free(args);
	return is_once;
}

bool linux_cow_is_in_place(int fd)
{
	return has_flag(fd) && is_stored_once(fd);
}

/* Without data in it; what is read of it before it is written would be no I/O. */
int platform_allocate(int fd, uint64_t offset, uint64_t length)
{
	if (fallocate(fd, 0, (off_t)offset, (off_t)length) == 0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}
