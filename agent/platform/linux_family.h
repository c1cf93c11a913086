/* linux_family.h - all devices that lose bytes when one is written to.
 *
 * Upwards: its partitions, what is built on any of these, loop devices over them, other paths to
 * them, and so on. Downwards: what its own bytes lie on, through mappings, mirrors and loop devices
 * over devices. Sideways: partitions whose ranges have bytes in common. A loop device over a plain
 * file ends the way down: the file is its own. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_FAMILY_H
#define MUSTER_AGENT_PLATFORM_LINUX_FAMILY_H

#include <stdbool.h>

#include "agent/platform/linux_sysfs.h"

struct family {
	struct names full; /* the device itself is the first */
	/* Held by the device or by others that have other bytes of them (a volume group's disks):
	 * who holds them says nothing, only what is mounted or swap in spite of that. */
	struct names beneath;
	struct names whole;   /* disks of partitions, which something may use past their tables */
	struct names sharing; /* of all, those that have the same bytes without sysfs knowing it */
};

void family_find(struct family *family, const char *name);
void family_release(struct family *family);
bool family_has(const struct family *family, const char *name);

#endif
