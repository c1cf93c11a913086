/* linux_identity.h - the identity of a device by its kernel's name, for platform_identity and tests
 * with a sysfs of their own. */
#ifndef MUSTER_AGENT_PLATFORM_LINUX_IDENTITY_H
#define MUSTER_AGENT_PLATFORM_LINUX_IDENTITY_H

#include "agent/platform/platform.h"

/* False, with text empty, when there is none. */
bool identity_of(const char *name, char identity[PLATFORM_IDENTITY_SIZE]);

#endif
