#include "agent/platform/linux_loop.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/platform/linux_sysfs.h"

/* Opens a device by its kernel's name, for questions only, and only when it is that device. */
static int open_named(const char *name)
{
	char path[PLATFORM_DEVICE_NAME + 8];
	struct stat st;
	dev_t device;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (!sysfs_device(name, &device) || stat(path, &st) < 0 || !S_ISBLK(st.st_mode) ||
	    st.st_rdev != device)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool loop_find(const char *name, struct loop *loop)
{
	struct loop_info64 info;

	/* Only an attached loop device has this file; it has the whole name, the ioctl 63 bytes. */
	if (!sysfs_text(loop->path, sizeof(loop->path), "/sys/class/block/%s/loop/backing_file",
			name))
		return false;
	loop->device = 0;
	loop->inode = 0;
	int fd = open_named(name);
	if (fd < 0)
		return true;
	if (ioctl(fd, LOOP_GET_STATUS64, &info) == 0) {
		loop->device = (dev_t)info.lo_device;
		loop->inode = info.lo_inode;
	}
	close(fd);
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
