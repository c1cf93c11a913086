/* owned.h - whether a file says what its owner wants, or what somebody else does: keys, the agent's
 * configuration and its spool are believed. */
#ifndef MUSTER_COMMON_OWNED_H
#define MUSTER_COMMON_OWNED_H

#include <sys/stat.h>

/* NULL where it is root's or ours and its mode has none of the bits `others`: 022 when they may not
 * change it, 077 when they may not read it either. Else why not and what to type, "others may
 * change it (mode 0664); type: chmod go-w 'path'"; the caller's to free. */
char *owned_fault(const struct stat *status, mode_t others, const char *path);

#endif
