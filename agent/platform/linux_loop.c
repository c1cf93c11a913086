#include "agent/platform/linux_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a device by its kernel's name, for questions only, and only when it is that device. */
static int open_named(const char *name, int flags)
{
	char path[PLATFORM_DEVICE_NAME + 8];
	struct stat st;
	dev_t device;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (stat(path, &st) < 0)
		return -1;
	if (!sysfs_device(name, &device) || !S_ISBLK(st.st_mode) || st.st_rdev != device) {
		errno = ENODEV;
		return -1;
	}
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
}

static bool ask(const char *name, struct loop *loop)
{
	struct loop_info64 info;
	int fd = open_named(name, 0);

	if (fd < 0)
		return false;
	bool answered = ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
	close(fd);
	if (!answered)
		return false;
	loop->device = (dev_t)info.lo_device;
	loop->inode = info.lo_inode;
	loop->behind = (dev_t)info.lo_rdevice;
	loop->offset = info.lo_offset;
	loop->limit = info.lo_sizelimit;
	return true;
}

bool loop_find(const char *name, struct loop *loop)
{
	struct stat st;

	/* Only an attached loop device has this file; it has the whole name, the ioctl 63 bytes. */
	if (!sysfs_text(loop->path, sizeof(loop->path), "/sys/class/block/%s/loop/backing_file",
			name))
		return false;
	loop->device = loop->behind = 0;
	loop->inode = 0;
	loop->offset = loop->limit = 0;
	/* Else what the name leads to here must do. */
	if (!ask(name, loop) && stat(loop->path, &st) == 0 && S_ISBLK(st.st_mode))
		loop->behind = st.st_rdev;
	return true;
}

int loop_open_backing(const struct loop *loop)
{
	struct stat st;

	/* The name may mean another file here than where the loop was set up; opening a fifo must
	 * not block. */
	int fd = open(loop->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_ino == loop->inode && st.st_dev == loop->device)
		return fd;
	close(fd);
	return -1;
}

static bool leads_to(const char *path, const struct loop *loop)
{
	struct stat st;

	return loop->inode && stat(path, &st) == 0 && st.st_ino == loop->inode &&
	       st.st_dev == loop->device;
}

/* Where the device itself could not be asked, the name of the file must do. */
static bool is_same_file(const struct loop *one, const struct loop *other)
{
	if (one->behind && one->behind == other->behind)
		return true;
	if (!one->inode || !other->inode)
		return strcmp(one->path, other->path) == 0 || leads_to(one->path, other) ||
		       leads_to(other->path, one);
	if (one->behind)
		return false;
	return one->device == other->device && one->inode == other->inode;
}

bool loop_behind(const char *name, char behind[PLATFORM_DEVICE_NAME])
{
	struct loop loop;

	return loop_find(name, &loop) && loop.behind && sysfs_name(loop.behind, behind);
}

void loop_add_sharing(struct names *names, const char *name)
{
	struct names all = {0};
	struct loop loop, other;
	dev_t device = 0;
	bool is_loop = loop_find(name, &loop);

	sysfs_device(name, &device);
	sysfs_add_entries(&all, "/sys/class/block");
	for (uint32_t i = 0; i < all.count; i++) {
		if (strcmp(all.names[i], name) == 0 || !loop_find(all.names[i], &other))
			continue;
		if ((device && other.behind == device) || (is_loop && is_same_file(&loop, &other)))
			names_add(names, all.names[i]);
	}
	names_release(&all);
}

/* Whether there is such a device, with bytes that could be lost. */
static bool is_there(const char *name)
{
	dev_t device;

	return sysfs_device(name, &device) && sysfs_lack(name) == PLATFORM_LACK_NOTHING;
}

int loop_claimed(const char *name)
{
	int fd = open_named(name, O_EXCL);
	int reason = errno;

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (reason == EBUSY)
		return 1;
	if (!is_there(name))
		return 0;
	errno = reason;
	return -1;
}
