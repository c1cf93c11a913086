/* linux_twins.h - one disk under two names: paths to it that no multipath device holds together. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_TWINS_H
#define MUSTER_AGENT_PLATFORM_LINUX_TWINS_H

#include <stdbool.h>

#include "agent/platform/linux_sysfs.h"

/* WWN or serial number as the disk itself tells it (sysfs), without a kind in front; false when it
 * tells none. */
#define HARDWARE_NAME_SIZE 256
bool hardware_name(const char *disk, char text[HARDWARE_NAME_SIZE]);

/* Adds the other disks that tell the same and have the same size; of a partition, their partitions
 * of the same number. */
void twins_add(struct names *names, const char *device);
bool is_twin(const char *device, const char *other);

#endif
