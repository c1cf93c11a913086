/* Giving blocks back: DIOCGDELETE on disks, fspacectl (FreeBSD 14) on files. */
#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/disk.h>
#include <sys/ioctl.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int probe_device(int fd, const char *path, struct error *err)
{
	struct diocgattr_arg arg;

	memset(&arg, 0, sizeof(arg));
	strlcpy(arg.name, "GEOM::candelete", sizeof(arg.name));
	arg.len = sizeof(arg.value.i);
	if (ioctl(fd, DIOCGATTR, &arg) < 0 || arg.value.i)
		return 0; /* where it is not said it is tried */
	error_set(err, ERROR_REFUSED,
		  "'%s' takes no deletes (GEOM::candelete is 0): leave the trim phase out, or name "
		  "another device",
		  path);
	return -1;
}

int platform_trim_probe(int fd, const char *path, bool device, uint64_t *unit, struct error *err)
{
	*unit = 0;
	if (device)
		return probe_device(fd, path, err);
#ifdef SPACECTL_DEALLOC
	return 0;
#else
	error_set(err, ERROR_REFUSED,
		  "this system makes no holes in files such as '%s' (FreeBSD 14 does): leave the "
		  "trim phase out, or name a device",
		  path);
	return -1;
#endif
}

int platform_trim_device(int fd, uint64_t offset, uint64_t length)
{
	off_t range[2] = {(off_t)offset, (off_t)length};

	return ioctl(fd, DIOCGDELETE, range);
}

int platform_trim_file(int fd, uint64_t offset, uint64_t length)
{
#ifdef SPACECTL_DEALLOC
	struct spacectl_range range = {.r_offset = (off_t)offset, .r_len = (off_t)length};

	return fspacectl(fd, SPACECTL_DEALLOC, &range, 0, NULL);
#else
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOSYS;
	return -1;
#endif
}
