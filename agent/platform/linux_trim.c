/* Giving blocks back: BLKDISCARD on devices, holes in files. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <linux/fs.h>

#include "agent/platform/linux_sysfs.h"

/* Of a partition its disk has the queue. */
static bool queue_number(int fd, const char *what, uint64_t *number)
{
	char name[PLATFORM_DEVICE_NAME], disk[PLATFORM_DEVICE_NAME];
	struct stat st;

	if (fstat(fd, &st) || !sysfs_name(st.st_rdev, name))
		return false;
	return sysfs_number(number, "/sys/class/block/%s/queue/%s",
			    sysfs_disk(name, disk) ? disk : name, what);
}

static int probe_device(int fd, const char *path, uint64_t *unit, struct error *err)
{
	uint64_t most;

	if (queue_number(fd, "discard_max_bytes", &most) && !most) {
		error_set(err, ERROR_REFUSED,
			  "'%s' takes no discards (queue/discard_max_bytes is 0): leave the trim "
			  "phase out, or name another device",
			  path);
		return -1;
	}
	if (!queue_number(fd, "discard_granularity", unit))
		*unit = 0;
	return 0;
}

/* Behind the end of the file there is nothing that could be lost. */
static int probe_file(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st)) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	uint64_t behind = ((uint64_t)st.st_size / 4096 + 2) * 4096;
	if (!platform_trim_file(fd, behind, 4096))
		return 0;
	error_set(
		err, ERROR_REFUSED,
		"the file system of '%s' makes no holes in files: %s; leave the trim phase out, or "
		"name another path",
		path, strerror(errno));
	return -1;
}

int platform_trim_probe(int fd, const char *path, bool device, uint64_t *unit, struct error *err)
{
	*unit = 0;
	return device ? probe_device(fd, path, unit, err) : probe_file(fd, path, err);
}

int platform_trim_device(int fd, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = {offset, length};

	return ioctl(fd, BLKDISCARD, range);
}

int platform_trim_file(int fd, uint64_t offset, uint64_t length)
{
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			 (off_t)length);
}
