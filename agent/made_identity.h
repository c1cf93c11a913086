/* made_identity.h - whether what stands at a path is the file that muster made there.
 *
 * A file is known by its path, its inode and the time when it was made: no other has all three. Its
 * device number is no part of that, since btrfs, ZFS and NFS are given another at each mount, and
 * disks are found in another order. Where the time is not known, the device has to be the same too,
 * or nobody can tell.
 *
 * A file that does not stand there is gone only where its directory is the one that it was made in;
 * else its file system may not be mounted (yet). */
#ifndef MUSTER_AGENT_MADE_IDENTITY_H
#define MUSTER_AGENT_MADE_IDENTITY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "agent/file_place.h"
#include "agent/made_list.h"

/* What the journal has to know of the file of `st` at `place`; `path` is lent. */
struct made_file made_identity(const char *path, const struct file_place *place,
			       const struct stat *st);

enum made_match {
	MADE_MATCH_SAME,
	MADE_MATCH_OTHER,   /* surely another */
	MADE_MATCH_UNKNOWN, /* its like, on another device, and when it was made is not known */
};
enum made_match made_match(const struct made_file *file, const struct file_place *place,
			   const struct stat *st);

/* Whether `place` is where the file was made, so that what it lacks is gone. */
bool made_is_home(const struct made_file *file, const struct file_place *place);

/* Whether the directory of the file, which is not there, has been removed from the file system that
 * it was on. */
bool made_is_home_removed(const struct made_file *file);

#endif
