/* allowed_look.h - says which of the paths and devices that agent.yaml allows are not there. */
#ifndef MUSTER_AGENT_ALLOWED_LOOK_H
#define MUSTER_AGENT_ALLOWED_LOOK_H

#include "agent/config.h"

/* A warning for each, from a thread of its own, since a file system that hangs must not keep the
 * agent from starting. Nothing of `config` is used later. */
void allowed_look(const struct agent_config *config);

#endif
