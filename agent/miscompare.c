#include "agent/miscompare.h"

#include <string.h>

/* Of the 4096 bits of a sector: random data differ in half of them. */
#define FLIPS_MOST 256
/* A damaged head does not tell the generation: so many are tried. */
#define GENERATIONS_TRIED 64

/* One of those that may stand there. */
struct variant {
	uint64_t generation;
	struct pattern_shape shape;
};

static struct pattern_key key_of(const struct expected *expected, struct variant variant)
{
	return pattern_key(expected->seed, expected->owner, variant.generation, variant.shape);
}

static bool is_among(const struct expected *expected, uint64_t generation)
{
	return expected->oldest <= generation && generation <= expected->newest;
}

static bool is_exact(const struct expected *expected)
{
	return expected->oldest == expected->newest;
}

/* As the first sector says that is no copy: copies are the same in every generation. */
static struct variant said_by(const char *piece, size_t size, uint64_t offset,
			      const struct expected *expected)
{
	struct pattern_place said = pattern_place(piece, expected->seed);
	size_t at = 0;

	while (said.generation == PATTERN_SHARED) {
		at += (size_t)(PATTERN_UNIT - (offset + at) % PATTERN_UNIT);
		if (at >= size)
			return (struct variant){expected->oldest, said.shape};
		said = pattern_place(piece + at, expected->seed);
	}
	return (struct variant){said.generation, said.shape};
}

bool miscompare_is_right(const void *piece, size_t size, uint64_t offset,
			 const struct expected *expected)
{
	struct variant variant = {expected->newest, expected->shape};

	if (!is_exact(expected))
		variant = said_by(piece, size, offset, expected);
	return is_among(expected, variant.generation) &&
	       pattern_check(piece, size, key_of(expected, variant), offset) == size;
}

/* ---- one sector ---- */

struct sector {
	struct pattern_place place;
	bool is_proven; /* it is what it says */
	bool is_here;   /* it says that it belongs here */
	bool is_copy;   /* it says that it is the same in every generation */
};

static struct sector examine(const unsigned char *at, uint64_t offset,
			     const struct expected *expected)
{
	struct sector s = {.place = pattern_place(at, expected->seed)};
	uint64_t home;

	s.is_copy = s.place.generation == PATTERN_SHARED;
	s.is_proven = pattern_is_proven(at, expected->seed, &s.place);
	s.is_here = s.place.owner == expected->owner &&
		    pattern_shape_is_copy(s.place.shape, offset, &home) == s.is_copy &&
		    s.place.offset == home;
	return s;
}

static uint32_t bits_between(const unsigned char *at, const unsigned char *want)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < PATTERN_SECTOR; i++)
		for (unsigned wrong = at[i] ^ want[i]; wrong; wrong &= wrong - 1)
			bits++;
	return bits;
}

static bool is_zero(const unsigned char *at)
{
	for (size_t i = 0; i < PATTERN_SECTOR; i++)
		if (at[i])
			return false;
	return true;
}

static uint32_t bits_from(const unsigned char *at, uint64_t offset, const struct expected *expected,
			  struct variant variant)
{
	unsigned char want[PATTERN_SECTOR];

	pattern_fill(want, sizeof(want), key_of(expected, variant), offset);
	return bits_between(at, want);
}

/* The fewest bits in which the sector differs from one that could stand here. */
static uint32_t flips(const unsigned char *at, uint64_t offset, const struct expected *expected,
		      struct variant *nearest)
{
	uint32_t fewest = bits_from(at, offset, expected, *nearest);
	bool is_open = expected->newest == UINT64_MAX;

	for (uint64_t i = 0; fewest > FLIPS_MOST && i < GENERATIONS_TRIED; i++) {
		struct variant v = {is_open ? expected->oldest + i : expected->newest - i,
				    nearest->shape};
		if (!is_among(expected, v.generation))
			break;
		uint32_t bits = bits_from(at, offset, expected, v);
		if (bits >= fewest)
			continue;
		fewest = bits;
		*nearest = v;
	}
	return fewest;
}

/* ---- a piece ---- */

static struct variant wanted(const unsigned char *piece, size_t size, uint64_t offset,
			     const struct expected *expected)
{
	bool is_open = expected->newest == UINT64_MAX;
	struct variant likely = {is_open ? expected->oldest : expected->newest, expected->shape};

	for (size_t i = 0; !is_exact(expected) && i < size; i += PATTERN_SECTOR) {
		struct sector s = examine(piece + i, offset + i, expected);
		if (!s.is_proven || !s.is_here)
			continue;
		if (is_among(expected, s.place.generation))
			return (struct variant){s.place.generation, s.place.shape};
		if (s.is_copy)
			likely.shape = s.place.shape;
	}
	return likely;
}

struct pattern_key miscompare_wanted(const void *piece, size_t size, uint64_t offset,
				     const struct expected *expected)
{
	return key_of(expected, wanted(piece, size, offset, expected));
}

static bool has_another_generation(const unsigned char *at, size_t size, uint64_t offset,
				   const struct expected *expected, uint64_t than)
{
	for (size_t i = 0; i < size; i += PATTERN_SECTOR) {
		struct sector s = examine(at + i, offset + i, expected);
		if (s.is_proven && s.is_here && !s.is_copy && s.place.generation != than)
			return true;
	}
	return false;
}

/* What the head names is believed with some bits wrong, too: chance does not come so near. */
static enum miscompare_kind judge_damaged(const unsigned char *at, uint64_t offset,
					  const struct expected *expected, const struct sector *s,
					  struct variant *nearest, struct miscompare *into)
{
	unsigned char said[PATTERN_SECTOR];

	pattern_fill_said(said, expected->seed, &s->place);
	into->bits = bits_between(at, said);
	if (into->bits <= FLIPS_MOST && !s->is_here)
		return MISCOMPARE_MISDIRECTED;
	if (into->bits <= FLIPS_MOST && !s->is_copy && !is_among(expected, s->place.generation))
		return MISCOMPARE_STALE;
	if (into->bits > FLIPS_MOST)
		into->bits = flips(at, offset, expected, nearest);
	into->wanted = nearest->generation;
	return into->bits <= FLIPS_MOST ? MISCOMPARE_BIT_FLIPS : MISCOMPARE_FOREIGN;
}

static enum miscompare_kind judge(const unsigned char *piece, size_t size, uint64_t offset,
				  const struct expected *expected, struct variant *nearest,
				  struct miscompare *into)
{
	size_t first = into->at / PATTERN_SECTOR * PATTERN_SECTOR;
	struct sector s = examine(piece + first, offset + first, expected);

	into->is = s.place;
	if (is_zero(piece + first))
		return MISCOMPARE_ZEROS;
	if (!s.is_proven)
		return judge_damaged(piece + first, offset + first, expected, &s, nearest, into);
	if (!s.is_here)
		return MISCOMPARE_MISDIRECTED;
	return has_another_generation(piece, size, offset, expected, s.place.generation)
		       ? MISCOMPARE_TORN
		       : MISCOMPARE_STALE;
}

bool miscompare_find(const void *piece, size_t size, uint64_t offset,
		     const struct expected *expected, struct miscompare *into)
{
	struct variant nearest = wanted(piece, size, offset, expected);

	*into = (struct miscompare){.owner = expected->owner, .wanted = nearest.generation};
	into->at = pattern_check(piece, size, key_of(expected, nearest), offset);
	if (into->at == size)
		return false;
	into->kind = judge(piece, size, offset, expected, &nearest, into);
	return true;
}
