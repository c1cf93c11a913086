/* phase_check.h - whether what a controller asks for makes sense by itself.
 *
 * The controller has checked the plan, with files and lines; but a controller may be wrong, or of
 * another version, or no controller of ours. Nothing of the host is looked at. */
#ifndef MUSTER_AGENT_PHASE_CHECK_H
#define MUSTER_AGENT_PHASE_CHECK_H

#include "common/error.h"
#include "proto/messages.h"

/* 0, or -1 with what is wrong and what would be legal. */
int phase_check(const struct prepare *prepare, struct error *err);

#endif
