/* sunos_disk.h - a slice of a disk as Solaris and illumos number it. */
#ifndef MUSTER_AGENT_PLATFORM_SUNOS_DISK_H
#define MUSTER_AGENT_PLATFORM_SUNOS_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct disk {
	char name[64]; /* of the whole disk, as kstat has it: sd3 */
	uint32_t slice;
};

/* Of an open raw device; false for what is no disk. */
bool disk_find(int fd, struct disk *disk);

/* The same by a path of /dev/dsk or /dev/rdsk; opens the raw device for reading. */
bool disk_find_path(const char *path, struct disk *disk);

/* The raw twin of a block device's path: /dev/rdsk/c0t0d0s0 for /dev/dsk/c0t0d0s0. */
void disk_raw_path(char *raw, unsigned size, const char *path);

bool disk_is_node(const struct stat *st);

#endif
