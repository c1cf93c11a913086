/* linux_mounts.h - /proc/self/mountinfo. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_MOUNTS_H
#define MUSTER_AGENT_PLATFORM_LINUX_MOUNTS_H

#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"

struct mount {
	uint64_t id;
	dev_t device; /* major 0: anonymous */
	char *root;   /* what of the file system is mounted */
	char *point, *type, *source;
	char *options; /* of the file system, not of the mount */
};
struct mounts {
	struct mount *mounts;
	uint32_t count;
};

int mounts_read(struct mounts *mounts, struct error *err);
int mounts_read_file(struct mounts *mounts, const char *path, struct error *err);
void mounts_release(struct mounts *mounts);

/* Reads one line, whose text it changes and then points into; for tests. Answers 0, or -1 for a
 * line that is none. */
int mounts_parse_line(char *line, struct mount *mount);

/* The mount that an open file is on; NULL when it is not among them. */
const struct mount *mounts_find(const struct mounts *mounts, int fd);

/* Undoes \040 and its like in place. */
void mounts_unescape(char *text);

#endif
