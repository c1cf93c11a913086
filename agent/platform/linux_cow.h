/* linux_cow.h - what linux_cow.c knows beside what platform.h asks of it. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_COW_H
#define MUSTER_AGENT_PLATFORM_LINUX_COW_H

#include <stdbool.h>

#include "agent/platform/platform.h"

/* Whether an open file on btrfs is nodatacow and stored once: only then does the kernel write
 * directly (commits 968f19c5b1b7 and 7c2830f00c3e). */
bool linux_cow_is_in_place(int fd);

#endif
