/* pattern_shape.h - how written data are made: of which stream, how compressible, how dedupable.
 *
 * Compressible: of every sector of 512 bytes the first part is of the stream and the rest is one
 * byte again and again, another one in each sector. So a compressor saves the same share of 4 KiB
 * as of 1 MiB, no larger block is worth more than a small one, and no two blocks become alike.
 *
 * Dedupable: data fall into units of 1 MiB (from offset 0 of the file or device); some units are
 * copies of one another, 64 of each, byte for byte, spread evenly, and the others are unique. So
 * the share of blocks that a store with blocks of any size that divides 1 MiB has already is the
 * one that was asked for, to a unit. Copies are of one owner, and the same in every generation:
 * else writing over a part of them would undo them. */
#ifndef MUSTER_COMMON_PATTERN_SHAPE_H
#define MUSTER_COMMON_PATTERN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_SECTOR        512
#define PATTERN_UNIT          (UINT64_C(1) << 20) /* of dedupe */
#define PATTERN_COPIES        64
#define PATTERN_COMPRESS_MOST 90 /* the rest is what tells whose sector it is */
#define PATTERN_DEDUPE_MOST   95

/* Generations are below it; the last one is that of copies. */
#define PATTERN_GENERATIONS (UINT64_C(1) << 48)
#define PATTERN_SHARED      (PATTERN_GENERATIONS - 1)

enum pattern_source { PATTERN_RANDOM, PATTERN_AES_CTR, PATTERN_ZEROS, PATTERN_SOURCES };

/* All zero: incompressible, not dedupable, of the stream of our own. */
struct pattern_shape {
	uint8_t source;   /* enum pattern_source */
	uint8_t compress; /* percent that compression saves */
	uint8_t dedupe;   /* percent of blocks that are there already */
};

static inline bool pattern_shape_is_equal(struct pattern_shape a, struct pattern_shape b)
{
	return a.source == b.source && a.compress == b.compress && a.dedupe == b.dedupe;
}

static inline bool pattern_shape_is_plain(struct pattern_shape shape)
{
	return !shape.source && !shape.compress && !shape.dedupe;
}

/* As 16 bits, and back; what no shape gives becomes the plain one. */
uint64_t pattern_shape_pack(struct pattern_shape shape);
struct pattern_shape pattern_shape_unpack(uint64_t bits);

/* How many bytes of a sector are of the stream. */
size_t pattern_shape_random_bytes(struct pattern_shape shape);

/* Whether the unit at `offset` is a copy; then what stands there stands in truth at `*home`. */
bool pattern_shape_is_copy(struct pattern_shape shape, uint64_t offset, uint64_t *home);

#endif
