#include "common/pattern_shape.h"

/* What a byte that is repeated to a sector's end costs a fast compressor. */
#define RUN_COST 4

uint64_t pattern_shape_pack(struct pattern_shape shape)
{
	return (uint64_t)shape.source << 14 | (uint64_t)shape.compress << 7 | shape.dedupe;
}

struct pattern_shape pattern_shape_unpack(uint64_t bits)
{
	const struct pattern_shape shape = {
		.source = bits >> 14 & 3,
		.compress = bits >> 7 & 127,
		.dedupe = bits & 127,
	};

	if (shape.source >= PATTERN_SOURCES || shape.compress > PATTERN_COMPRESS_MOST ||
	    shape.dedupe > PATTERN_DEDUPE_MOST)
		return (struct pattern_shape){0};
	return shape;
}

size_t pattern_shape_random_bytes(struct pattern_shape shape)
{
	if (!shape.compress)
		return PATTERN_SECTOR;
	return (PATTERN_SECTOR * (100u - shape.compress) + 50) / 100 - RUN_COST;
}

/* Copies among the first `units`: one at once, so that even a short file has the second of a kind,
 * and of 64 alike 63 are what a store has already. */
static uint64_t copies_before(struct pattern_shape shape, uint64_t units)
{
	const uint64_t whole = 100 * (PATTERN_COPIES - 1);

	return (units * shape.dedupe * PATTERN_COPIES + whole - 1) / whole;
}

bool pattern_shape_is_copy(struct pattern_shape shape, uint64_t offset, uint64_t *home)
{
	uint64_t unit = offset / PATTERN_UNIT, number;

	*home = offset;
	if (!shape.dedupe)
		return false;
	number = copies_before(shape, unit);
	if (copies_before(shape, unit + 1) == number)
		return false;
	*home = number / PATTERN_COPIES * PATTERN_UNIT + offset % PATTERN_UNIT;
	return true;
}
