/* linux_ram.h - whether what lies behind a file or device is memory. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_RAM_H
#define MUSTER_AGENT_PLATFORM_LINUX_RAM_H

#include <stdbool.h>
#include <stddef.h>

/* Follows the file system, loop devices into their backing files, and mappings (md, dm, btrfs)
 * into their parts. Answers true with what follows "it is" in
 * `reason`: "on loop3, a loop device over a file on tmpfs, which is memory". */
bool ram_find(int fd, char *reason, size_t size);

#endif
