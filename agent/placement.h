/* placement.h - which processors each worker may run on.
 *
 * Without `cpus` and `numa`: any. With `cpus` alone each worker has one of them to itself, by
 * turns; with `numa: node` the workers go to the NUMA nodes by turns, with `numa: device` to the
 * node that the target's device is attached to, and may run on any processor of the node that
 * `cpus`, where given, has too. A worker binds itself before it touches its buffers, which are
 * therefore of its own node's memory. */
#ifndef MUSTER_AGENT_PLACEMENT_H
#define MUSTER_AGENT_PLACEMENT_H

#include "agent/phase_targets.h"
#include "common/cpu_list.h"
#include "common/error.h"

/* Worker k is bound to sets[k % count]; count 0: it is free. */
struct placement {
	struct cpu_list *sets;
	uint32_t count;
};

/* Whether the system has what the phase asks for; changes nothing. Released after, also on
 * failure. The target's parts are open, or are devices. */
int placement_find(struct placement *placement, const struct phase *phase,
		   const struct load_target *target, struct error *err);
void placement_release(struct placement *placement);

/* Of worker `number`, counted through all targets of the phase; NULL: any. */
const struct cpu_list *placement_of(const struct placement *placement, uint32_t number);

#endif
