/* posix_signature.h - the marks that file systems, partition tables, pools, stripes, mirrors and
 * crypt mappings leave on a device, read without any library; for systems without libblkid. */
#ifndef MUSTER_AGENT_PLATFORM_POSIX_SIGNATURE_H
#define MUSTER_AGENT_PLATFORM_POSIX_SIGNATURE_H

#include "agent/platform/posix.h"
#include "common/error.h"

/* The reason where other hosts may have mounted it: of which device, and what. */
#define SHARED_TEXT                                                                                \
	"%s carries %s, which other hosts may have mounted: wipe it (wipefs) if none has"

/* Adds a reason for each mark, and for each in one of its partitions that is never to be
 * overwritten; `name` is what the reasons call the device, which is open for
 * reading. -1 when it cannot be read. */
int marks_add(struct use_list *list, int fd, uint64_t size_bytes, uint32_t sector_bytes,
	      const char *name, struct error *err);

#endif
