/* linux_loop.h - the file behind a loop device, and what else has the same bytes. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_LOOP_H
#define MUSTER_AGENT_PLATFORM_LINUX_LOOP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/platform/linux_sysfs.h"

struct loop {
	dev_t device;           /* of the backing file */
	uint64_t inode;         /* 0: the device could not be asked, the name alone is known */
	uint64_t offset, limit; /* of the device in that file; limit 0: to its end */
	dev_t behind;           /* the block device that the backing file is; 0: a plain file */
	char path[PATH_MAX];    /* as the kernel names it, maybe in another mount namespace */
};

/* By the kernel's name (loop3); false for what is no loop device, or an unattached one. */
bool loop_find(const char *name, struct loop *loop);

/* Opens the backing file for looking at: -1 where its name leads elsewhere from here. */
int loop_open_backing(const struct loop *loop);

/* The block device that a loop device is over; false for what is over a plain file, or no loop. */
bool loop_behind(const char *name, char behind[PLATFORM_DEVICE_NAME]);

/* Adds the loop devices over a block device, and those over the same file or device as a loop
 * device: sysfs has none of them among the holders. */
void loop_add_sharing(struct names *names, const char *name);

/* 1: something holds the device exclusively, also in another mount namespace; 0: nothing does, or
 * there is no such device. -1 with errno: it is there and cannot be asked, as where its node is
 * missing or out of reach. */
int loop_claimed(const char *name);

#endif
