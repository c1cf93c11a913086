/* engine_choice.h - which engine issues a target's I/O.
 *
 * null for null targets; else what the phase asks for, and for `auto` uring where the system has
 * it, sync where not, with the reason in the notes. */
#ifndef MUSTER_AGENT_ENGINE_CHOICE_H
#define MUSTER_AGENT_ENGINE_CHOICE_H

#include "agent/phase_targets.h"

/* Sets the target's engine. Refuses one that is asked for and not possible, and a queue that the
 * engine has not. */
int engine_choose(struct load_target *target, const struct part_context *context,
		  struct error *err);

#endif
