/* linux_openers.h - which processes have block devices open for writing. Virtual machines and
 * databases open disks without claiming them, so that O_EXCL does not tell. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_OPENERS_H
#define MUSTER_AGENT_PLATFORM_LINUX_OPENERS_H

#include "agent/platform/platform.h"

/* Walks over all processes, unless that was done before. Left out are this process, those that it
 * may not look into (of other users, of other PID namespaces), what a process has mapped and no
 * longer open, and what the kernel itself opened. */
void openers_read(struct platform_openers *openers);

#endif
