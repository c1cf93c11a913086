/* buffers.h - memory for the I/O of one worker, by the pages that the phase asks for.
 *
 * Allocated by who prepares the phase, touched first by the worker itself, in its own place: so the
 * pages are of its NUMA node, and none is missing at the start. */
#ifndef MUSTER_AGENT_BUFFERS_H
#define MUSTER_AGENT_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "proto/phase.h"

struct buffers {
	char *memory;
	size_t size;    /* with what it was rounded up by */
	bool is_huge;   /* of explicit huge pages */
	char note[512]; /* what was preferred and not to be had; empty: nothing */
};

/* Zeroed before, released after, also on failure, which leaves `memory` NULL. */
int buffers_init(struct buffers *buffers, enum phase_hugepages pages, size_t alignment, size_t size,
		 struct error *err);
void buffers_touch(struct buffers *buffers);
void buffers_release(struct buffers *buffers);

#endif
