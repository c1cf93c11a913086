/* linux_signature.h - what is written on a device: file systems, partition tables, and the marks
 * of pools, stripes, mirrors, volume groups and crypt mappings. The one user of libblkid. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_SIGNATURE_H
#define MUSTER_AGENT_PLATFORM_LINUX_SIGNATURE_H

#include "agent/platform/posix.h"
#include "common/error.h"

/* Adds a reason for each signature on the device (open buffered for reading) and in its partitions,
 * whether the kernel has made devices of them or not. `name` is what the reasons call it. -1 when
 * it cannot be read. */
int signature_add(struct use_list *list, int fd, const char *name, struct error *err);

#endif
