/* engine_choice.h - which engine issues a target's I/O, and why.
 *
 * null for null targets; else what the phase asks for, and for `auto` in this order
 *   sync   where a worker has one I/O in flight on one file or device: a system call each
 *   aio    where the system cannot begin I/O on a device without waiting: io_uring would hand each
 *          one to a thread of the kernel, aio issues it in the worker's own
 *   uring  else
 * and where that one is not to be had the next best, with the reason in the notes. */
#ifndef MUSTER_AGENT_ENGINE_CHOICE_H
#define MUSTER_AGENT_ENGINE_CHOICE_H

#include "agent/phase_targets.h"

/* Sets the target's engine and why. Refuses one that is asked for and not possible, and a queue
 * that the engine has not. To be called again when parts have been opened: only then is known what
 * stands behind a file. */
int engine_choose(struct load_target *target, const struct part_context *context,
		  struct error *err);

#endif
