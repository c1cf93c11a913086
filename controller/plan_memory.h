/* plan_memory.h - the memory that a plan takes, on the hosts and here, before anything is run. */
#ifndef MUSTER_CONTROLLER_PLAN_MEMORY_H
#define MUSTER_CONTROLLER_PLAN_MEMORY_H

#include "controller/plan.h"

struct plan_memory {
	const char *host, *phase; /* where and when a host takes the most; lent by hosts and plan */
	uint64_t host_bytes;      /* by the agent, as it holds against its `memory` */
	uint64_t controller_bytes; /* timelines of all phases and trials that have a runtime */
	uint64_t hour_bytes;       /* and for each hour of one without */
};

/* `hosts` are the plan's. Buffers are taken to be aligned to 4 KiB. */
struct plan_memory plan_memory(const struct plan *plan, const struct plan_hosts *hosts);

/* A line or two for a person. */
void plan_memory_print(const struct plan *plan);

#endif
