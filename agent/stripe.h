/* stripe.h - RAID0 in user space: which bytes of which part a stripe's bytes are.
 *
 * Unit k of the stripe is unit k / parts of part k % parts. So the bytes of [0, end) are the first
 * bytes of every part, and a contiguous request is one contiguous range on each part it touches,
 * gathered from several places of its buffer. These are I/Os of their own, which the uring engine
 * has in flight at once. A target that is no stripe is one of a single part. */
#ifndef MUSTER_AGENT_STRIPE_H
#define MUSTER_AGENT_STRIPE_H

#include <stddef.h>
#include <stdint.h>

#include "agent/engine/engine.h"

struct stripe {
	uint64_t unit; /* bytes on one part before the next part's turn */
	uint32_t parts;
};

/* How many bytes of part `part` the stripe's bytes [0, end) are; [from, to) of the stripe are
 * [stripe_part_end(from), stripe_part_end(to)) of the part. */
uint64_t stripe_part_end(const struct stripe *stripe, uint32_t part, uint64_t end);

/* Bytes that a stripe has over parts of which the smallest has `smallest` bytes. */
uint64_t stripe_extent(const struct stripe *stripe, uint64_t smallest);

/* Most vectors that a request of `length` bytes needs on one part. */
uint64_t stripe_vectors(const struct stripe *stripe, uint64_t length);

/* Spreads the request over ios[0..parts): sets offset, length and vector_count of each, and its
 * vectors, for which each has room for stripe_vectors(). Length 0: that part is not touched. */
void stripe_map(const struct stripe *stripe, uint64_t offset, char *buffer, size_t length,
		struct io *ios);

#endif
