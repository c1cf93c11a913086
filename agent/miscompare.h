/* miscompare.h - what stands where other data was written: told from the data alone.
 *
 * A piece is a stretch of one file or device that must be of one owner and one generation
 * (written.h). Sectors say where they belong and prove it (pattern.h), so that what is stale, torn
 * or misdirected is known and not guessed. */
#ifndef MUSTER_AGENT_MISCOMPARE_H
#define MUSTER_AGENT_MISCOMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pattern.h"
#include "proto/miscompare.h"

/* What has to be there: data of `owner` in one generation of [oldest, newest], of that shape where
 * the two are one; else each sector says its shape. */
struct expected {
	uint64_t seed, owner;
	uint64_t oldest, newest;
	struct pattern_shape shape;
};

struct miscompare {
	enum miscompare_kind kind;
	size_t at;               /* the first wrong byte, in the piece */
	uint64_t owner, wanted;  /* whose data of which generation should be there */
	struct pattern_place is; /* stale, torn, misdirected: where what is there belongs */
	uint32_t bits;           /* bit flips: of that sector */
};

/* `offset`, `size`: of the piece in its file or device, multiples of PATTERN_SECTOR, size not 0. */
bool miscompare_is_right(const void *piece, size_t size, uint64_t offset,
			 const struct expected *expected);

/* The same, slowly and with all that can be told; false when the piece is right. */
bool miscompare_find(const void *piece, size_t size, uint64_t offset,
		     const struct expected *expected, struct miscompare *into);

/* What the piece should be most likely: as its first sector that proves a right generation says. */
struct pattern_key miscompare_wanted(const void *piece, size_t size, uint64_t offset,
				     const struct expected *expected);

#endif
