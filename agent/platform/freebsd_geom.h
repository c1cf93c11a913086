/* freebsd_geom.h - the running system's GEOM mesh, and which of its providers things are. */
#ifndef MUSTER_AGENT_PLATFORM_FREEBSD_GEOM_H
#define MUSTER_AGENT_PLATFORM_FREEBSD_GEOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/stat.h>

#include "agent/inventory/geom_mesh.h"
#include "common/error.h"

/* kern.geom.confxml, parsed. */
int geom_read(struct geom_mesh *mesh, struct error *err);

/* The provider that an open device is, or that the file system of an open file is on; -1 when
 * there is none such (ZFS, NFS, tmpfs). */
int64_t geom_provider_of(const struct geom_mesh *mesh, int fd);

/* Whether a device node is a provider's; asked before it is opened. */
bool geom_is_disk(const struct stat *st);

/* A provider and all that lies beneath it. */
void geom_add_all_beneath(const struct geom_mesh *mesh, uint32_t provider, struct geom_set *set);

#endif
