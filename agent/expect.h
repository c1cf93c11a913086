/* expect.h - between a phase and what is known from run to run (known_data.h).
 *
 * A phase with `expect` reads what an earlier run wrote; before a phase writes, or has a file laid
 * out, what was known is taken away, and after it what it has left is kept for later runs. */
#ifndef MUSTER_AGENT_EXPECT_H
#define MUSTER_AGENT_EXPECT_H

#include "agent/phase_targets.h"
#include "agent/written.h"
#include "common/error.h"

/* Puts into `written` what run `expect` wrote to all parts; refuses where any of it is not known.
 * Nothing is changed on the host. `targets->at` is the target that failed. */
int expect_load(struct phase_targets *targets, const char *expect, const char *spool,
		struct written *written, struct error *err);

/* Before anything is written: of the parts that will be. Sets their `is_changed`. */
int expect_forget(const struct phase_targets *targets, const struct phase *phase, const char *spool,
		  const struct written *written, struct error *err);

/* After the phase: of those parts, as run `run`. What cannot be kept, or may not be there any more,
 * is not known later, which is said then; what was not synced is known until the host is started
 * anew. */
void expect_remember(const struct phase_targets *targets, const char *run, const char *spool,
		     const struct written *written);

#endif
