/* local_directory.h - what a local agent has on the disk: a directory with `agent.yaml`, `spool`
 * and `scratch`. */
#ifndef MUSTER_CONTROLLER_LOCAL_DIRECTORY_H
#define MUSTER_CONTROLLER_LOCAL_DIRECTORY_H

#include "controller/local.h"

/* Makes that of `agent`, for `host`, and all above it that is the agents' own. */
int local_directory_make(struct local_agents *local, struct local_agent *agent,
			 const struct plan_host *host, struct error *err);

/* Removes it but for what a person is to see, which is told: files that are left, evidence,
 * results.
 */
void local_directory_remove(const char *directory);

#endif
