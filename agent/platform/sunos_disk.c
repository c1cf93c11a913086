#include "agent/platform/sunos_disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stropts.h>
#include <sys/dkio.h>
#include <unistd.h>

bool disk_find(int fd, struct disk *disk)
{
	struct dk_cinfo info;
	struct stat st;

	memset(&info, 0, sizeof(info));
	if (fstat(fd, &st) < 0 || !(S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) ||
	    ioctl(fd, DKIOCINFO, &info) < 0)
		return false;
	snprintf(disk->name, sizeof(disk->name), "%.*s%u", (int)sizeof(info.dki_dname),
		 info.dki_dname, (unsigned)info.dki_unit);
	disk->slice = info.dki_partition;
	return true;
}

void disk_raw_path(char *raw, unsigned size, const char *path)
{
	const char *block = strstr(path, "/dsk/");

	if (block)
		snprintf(raw, size, "%.*s/rdsk/%s", (int)(block - path), path, block + 5);
	else
		snprintf(raw, size, "%s", path);
}

/* Raw and block disks; terminals and the like have no name under a folder of disks, yet their
 * nodes look the same: the caller asks disk_find after opening. */
bool disk_is_node(const struct stat *st)
{
	return S_ISCHR(st->st_mode);
}

bool disk_find_path(const char *path, struct disk *disk)
{
	char raw[1024];

	if (path[0] != '/')
		return false;
	disk_raw_path(raw, sizeof(raw), path);
	int fd = open(raw, O_RDONLY | O_NDELAY | O_NOCTTY);
	if (fd < 0)
		return false;
	bool found = disk_find(fd, disk);
	close(fd);
	return found;
}
