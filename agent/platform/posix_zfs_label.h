/* posix_zfs_label.h - whether a device carries a label of a ZFS pool, imported or not.
 *
 * A vdev has four labels of 256 KiB, two at its start and two at its end; each has the pool's
 * configuration (an nvlist, at 16 KiB) and a ring of uberblocks (at 128 KiB), in either byte order.
 * One that is left is enough, since it is for ZFS too. */
#ifndef MUSTER_AGENT_PLATFORM_POSIX_ZFS_LABEL_H
#define MUSTER_AGENT_PLATFORM_POSIX_ZFS_LABEL_H

#include <stdbool.h>
#include <stdint.h>

/* Looks at the part of a device from `offset` on. 1: there is one; 0: none; -1: it could not be
 * read (errno). */
int zfs_label_find(int fd, uint64_t offset, uint64_t size_bytes);

#endif
