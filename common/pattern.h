/* pattern.h - data that cannot flatter a disk: incompressible, not dedupable, known again later.
 *
 * A sector of 512 bytes is a pure function of (seed, owner, generation, sector), so that any part
 * of a block can be made again from its place alone and no two sectors of any host, target or
 * generation are alike. Its first 24 bytes say where it belongs, hidden by a bijection that who has
 * the seed undoes: a sector that stands where another should tells whose it is. The other 488 are
 * of eight interleaved streams of xorshift64 (Marsaglia 2003), begun anew in every sector from its
 * head, two in one vector register. */
#ifndef MUSTER_COMMON_PATTERN_H
#define MUSTER_COMMON_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pattern_shape.h"

/* The key of all sectors of one owner in one generation (times written over). */
struct pattern_key {
	uint64_t owner, generation; /* hidden */
	uint64_t place, stream;     /* of both and the seed */
	uint64_t secret;            /* of the seed */
	struct pattern_shape shape;
};

/* A target of a host, in 64 bits. */
uint64_t pattern_owner(const char *host, const char *target);

/* A few multiplications. The generation is below PATTERN_GENERATIONS, the shape a valid one. */
struct pattern_key pattern_key(uint64_t seed, uint64_t owner, uint64_t generation,
			       struct pattern_shape shape);

/* Fills `size` bytes as they stand at `offset`; both are multiples of PATTERN_SECTOR. */
void pattern_fill(void *buffer, size_t size, struct pattern_key key, uint64_t offset);

/* The first position in the buffer that is not as pattern_fill makes it; `size` when all is. */
size_t pattern_check(const void *buffer, size_t size, struct pattern_key key, uint64_t offset);

/* Where a sector says it belongs and how its data were made. Anything says something: it is true
 * when pattern_is_proven says so. Zeros say nothing true. */
struct pattern_place {
	uint64_t owner, generation, offset;
	struct pattern_shape shape;
};
struct pattern_place pattern_place(const void *sector, uint64_t seed);

/* Makes the sector that says so; whether the one that says so is it. */
void pattern_fill_said(void *sector, uint64_t seed, const struct pattern_place *place);
bool pattern_is_proven(const void *sector, uint64_t seed, const struct pattern_place *place);

#endif
