/* failures.h - a worker's errors by operation and errno: how many, and where the first was.
 *
 * Of a fixed size, since a worker allocates nothing; what finds no place any more is counted with
 * the last kind, as any other. Not for two threads. */
#ifndef MUSTER_AGENT_FAILURES_H
#define MUSTER_AGENT_FAILURES_H

#include <stdint.h>

#include "agent/engine/engine.h"

#define FAILURES_MOST  8
#define FAILURES_OTHER (-1) /* as errno: of several */

struct failure {
	enum io_kind op;
	int number; /* errno; 0: short */
	uint64_t count;
	uint64_t first_offset, first_ns; /* in the target; when it completed */
};
struct failures {
	struct failure all[FAILURES_MOST];
	uint32_t count;
};

/* Adds `one->count` errors of its kind; the earliest is the first. */
void failures_add(struct failures *kinds, const struct failure *one);

#endif
