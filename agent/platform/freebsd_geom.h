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

/* The provider that a path of /dev names, also by an alias that GEOM lists under no name (nvd0 for
 * nda0); -1 when there is none such. Opens nothing. */
int64_t geom_provider_of_path(const struct geom_mesh *mesh, const char *path);

/* Whether a device node is a provider's; asked before it is opened. */
bool geom_is_disk(const struct stat *st);

#endif
