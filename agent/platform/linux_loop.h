/* linux_loop.h - the file behind a loop device. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_LOOP_H
#define MUSTER_AGENT_PLATFORM_LINUX_LOOP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct loop {
	dev_t device; /* of the backing file */
	uint64_t inode;
	char path[PATH_MAX]; /* as the kernel names it, maybe in another mount namespace */
};

/* By the kernel's name (loop3); false for what is no loop device, or an unattached one. */
bool loop_find(const char *name, struct loop *loop);

/* Opens the backing file for looking at: -1 where its name leads elsewhere from here. */
int loop_open_backing(const struct loop *loop);

#endif
