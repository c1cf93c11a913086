/* linux_sysfs.h - block devices as sysfs shows them, by the kernel's name (sda, sda1, dm-0).
 *
 * Names are sysfs's: a '/' in a device's name is '!' there. What is not there is "no". */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_SYSFS_H
#define MUSTER_AGENT_PLATFORM_LINUX_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/platform/platform.h"

/* The text of a small file, without blanks at its ends; false when it is absent or empty. */
bool sysfs_text(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool sysfs_number(uint64_t *number, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a block device by its number, and the number by its name. */
bool sysfs_name(dev_t device, char name[PLATFORM_DEVICE_NAME]);
bool sysfs_device(const char *name, dev_t *device);

/* The name by its number where only the counters know the device, /proc/diskstats: in containers
 * without sysfs. */
bool sysfs_counted(dev_t device, char name[PLATFORM_DEVICE_NAME]);

/* The disk that a partition is on; false for what is no partition. */
bool sysfs_disk(const char *partition, char disk[PLATFORM_DEVICE_NAME]);

/* Why a device, there or not, has nothing on it that could be read. */
enum platform_lack sysfs_lack(const char *name);

/* Everything above and below is looked up under `root` from now on; "" again: the system's own. For
 * tests, before there are threads. */
void sysfs_set_root(const char *root);
/* The whole path of a file there; false when it is too long to be anything. */
bool sysfs_path(char *whole, size_t size, const char *path);

/* A list of device names without duplicates. Zero it; names_release frees. */
struct names {
	char (*names)[PLATFORM_DEVICE_NAME];
	uint32_t count;
};
void names_add(struct names *names, const char *name);
bool names_has(const struct names *names, const char *name);
void names_release(struct names *names);

/* Adds what a device's folder lists: its `slaves` or `holders`; or its partitions. */
void sysfs_add_linked(struct names *names, const char *name, const char *folder);
void sysfs_add_partitions(struct names *names, const char *disk);

/* Of a partition, adds the others of its disk that have bytes in common with it. An extended one
 * of DOS, which the kernel makes a sector or two long, has those of all logical ones. */
void sysfs_add_overlapping(struct names *names, const char *partition);

/* Adds what lies directly beneath: a partition's disk, a mapping's parts. */
void sysfs_add_beneath(struct names *names, const char *name);

/* Adds the entries of any folder that are names of block devices. */
void sysfs_add_entries(struct names *names, const char *folder);

#endif
