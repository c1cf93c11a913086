/* local_directory.h - what a local agent has on the disk: a directory with `agent.yaml`, `spool`
 * and `scratch`. */
#ifndef MUSTER_CONTROLLER_LOCAL_DIRECTORY_H
#define MUSTER_CONTROLLER_LOCAL_DIRECTORY_H

#include "controller/local.h"

/* Makes that of `agent`, for `host`, and all above it that is the agents' own. */
int local_directory_make(struct local_agents *local, struct local_agent *agent,
			 const struct plan_host *host, struct error *err);

/* Where the agent of `host` had its own before, by local_adopt or in the plan's `spool`, whether or
 * not it is there; the caller's to free. NULL: nobody knows. */
char *local_directory_before(const struct local_agents *local, const struct local_agent *agent,
			     const struct plan_host *host);
/* Makes that the agent's, once whoever was in it has ended: at most 35 s after `began_ns`. -1 also
 * where it is not this user's alone. */
int local_directory_take(struct local_agent *agent, const struct plan_host *host,
			 const char *directory, uint64_t began_ns, struct error *err);

/* Removes it, unless it stays, but for what a person is to see or `muster collect` to find, which
 * is told: files that are left, evidence, results. Where the agent could not be started nothing is
 * touched. */
void local_directory_remove(const struct local_agent *agent);

#endif
