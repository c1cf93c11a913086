/* at_once.h - I/O that is complete when its call returns: what sync.c and trim.c keep from the
 * submit to the reap. */
#ifndef MUSTER_AGENT_ENGINE_AT_ONCE_H
#define MUSTER_AGENT_ENGINE_AT_ONCE_H

#include <stdint.h>

#include "agent/engine/engine.h"

struct at_once {
	/* In the order of their completion; those from `taken` on are to be had. */
	struct io **done;
	uint32_t count, taken, depth;
};

/* How many of `count` there is room for. */
static inline uint32_t at_once_room(const struct at_once *kept, uint32_t count)
{
	uint32_t room = kept->depth - kept->count;

	return count < room ? count : room;
}

static inline void at_once_add(struct at_once *kept, struct io *io)
{
	kept->done[kept->count++] = io;
}

static inline uint32_t at_once_reap(struct at_once *kept, struct io **ios, uint32_t at_most)
{
	uint32_t count = 0;

	while (count < at_most && kept->taken < kept->count)
		ios[count++] = kept->done[kept->taken++];
	if (kept->taken == kept->count)
		kept->taken = kept->count = 0;
	return count;
}

#endif
