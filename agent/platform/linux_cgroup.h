/* linux_cgroup.h - what the control groups of this process allow, and whether it is in a container.
 *
 * Both generations: memory.limit_in_bytes, cpu.cfs_quota_us and blkio.throttle.* of v1, memory.max,
 * cpu.max and io.max of v2 (the kernel's Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst). A
 * group obeys those above it too: of the groups that are visible the tightest limit counts; what a
 * host set above a container's root cannot be seen from inside. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_CGROUP_H
#define MUSTER_AGENT_PLATFORM_LINUX_CGROUP_H

#include <stdint.h>

#include "agent/platform/platform.h"

/* Fills in `limits`; 0 and "" where there is none. `root` stands before each path: "" but in
 * tests, which have a tree of their own. */
void cgroup_limits(const char *root, struct platform_limits *limits);

/* The kind of container, such as docker, podman, lxc; "" when nothing says that it is one. */
void cgroup_container(const char *root, char kind[PLATFORM_CONTAINER]);

/* Tells what one line of io.max or of a blkio.throttle file limits, for people: `rate` is "read",
 * "write", … of v1, NULL for v2. Answers false for a line that limits nothing or is none. */
bool cgroup_io_line(const char *line, const char *rate, char *text, size_t size);

#endif
