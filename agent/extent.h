/* extent.h - how much of a target a phase uses, and whether the phase fits it. */
#ifndef MUSTER_AGENT_EXTENT_H
#define MUSTER_AGENT_EXTENT_H

#include "agent/phase_targets.h"

/* Sets the target's extent and used extent, and what of each part is used. Refuses what does not
 * fit: fewer blocks than workers, a stripe unit that cuts a request in too many pieces. */
int extent_measure(struct load_target *target, const struct phase *phase, struct error *err);

#endif
