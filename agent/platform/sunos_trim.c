/* Giving blocks back: DKIOCFREE on raw disks, F_FREESP on files. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stropts.h>
#include <sys/dkio.h>
#include <unistd.h>

static int probe_device(int fd, const char *path, struct error *err)
{
	int can_free = 1;

	/* Where it is not said it is tried. */
	if (ioctl(fd, DKIOC_CANFREE, &can_free) < 0 || can_free)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "'%s' frees no blocks (DKIOC_CANFREE is 0): leave the trim phase out, or name "
		  "another device",
		  path);
	return -1;
}

int platform_trim_probe(int fd, const char *path, bool device, uint64_t *unit, struct error *err)
{
	*unit = 0;
	return device ? probe_device(fd, path, err) : 0;
}

int platform_trim_device(int fd, uint64_t offset, uint64_t length)
{
	dkioc_free_list_t list;

	memset(&list, 0, sizeof(list));
	list.dfl_flags = DF_WAIT_SYNC;
	list.dfl_num_exts = 1;
	list.dfl_exts[0].dfle_start = offset;
	list.dfl_exts[0].dfle_length = length;
	return ioctl(fd, DKIOCFREE, &list);
}

/* It does not shorten the file: the range ends before, or at, the end of the file. */
int platform_trim_file(int fd, uint64_t offset, uint64_t length)
{
	struct flock range;

	memset(&range, 0, sizeof(range));
	range.l_whence = SEEK_SET;
	range.l_start = (off_t)offset;
	range.l_len = (off_t)length;
	return fcntl(fd, F_FREESP, &range);
}
