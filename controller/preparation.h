/* preparation.h - what a host is asked to do in a phase, out of the plan and its memory. */
#ifndef MUSTER_CONTROLLER_PREPARATION_H
#define MUSTER_CONTROLLER_PREPARATION_H

#include "controller/plan.h"
#include "proto/messages.h"

/* Fills phase, bucket, io_timeout and targets; all but the list of targets is lent by the plan. */
void preparation_init(struct prepare *prepare, const struct plan *plan, const struct phase *phase,
		      const struct plan_host *host, uint64_t memory_bytes);
void preparation_release(struct prepare *prepare);

#endif
