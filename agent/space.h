/* space.h - is there room for all that a phase would write into files, before any is made. */
#ifndef MUSTER_AGENT_SPACE_H
#define MUSTER_AGENT_SPACE_H

#include "agent/phase_targets.h"

/* Bytes that the phase may touch less those that the files already have, and a file for each that
 * is missing, summed over the parts on one file system. Read phases too: they are laid out. */
int space_check(const struct phase_targets *targets, struct error *err);

/* "no space left for ...": what was wanted and what is free now, when a write failed so. */
void space_explain(const struct part *part, const char *target, struct error *err);

#endif
