#include "agent/miscompare.h"

#include <string.h>

/* Of the 4096 bits of a sector: random data differ in half of them. */
#define FLIPS_MOST 256
/* A damaged head does not tell the generation: so many are tried. */
#define GENERATIONS_TRIED 64

static struct pattern_key key_of(const struct expected *expected, uint64_t generation)
{
	return pattern_key(expected->seed, expected->owner, generation);
}

static bool is_among(const struct expected *expected, uint64_t generation)
{
	return expected->oldest <= generation && generation <= expected->newest;
}

bool miscompare_is_right(const void *piece, size_t size, uint64_t offset,
			 const struct expected *expected)
{
	uint64_t generation = expected->newest;

	if (expected->oldest != expected->newest)
		generation = pattern_place(piece, expected->seed).generation;
	return is_among(expected, generation) &&
	       pattern_check(piece, size, key_of(expected, generation), offset) == size;
}

/* ---- one sector ---- */

struct sector {
	struct pattern_place place;
	bool is_proven; /* it is what it says */
	bool is_here;   /* it says that it belongs here */
};

static struct sector examine(const unsigned char *at, uint64_t offset,
			     const struct expected *expected)
{
	struct sector s = {.place = pattern_place(at, expected->seed)};
	struct pattern_key key = pattern_key(expected->seed, s.place.owner, s.place.generation);

	s.is_proven = pattern_check(at, PATTERN_SECTOR, key, s.place.offset) == PATTERN_SECTOR;
	s.is_here = s.place.owner == expected->owner && s.place.offset == offset;
	return s;
}

static uint32_t bits_between(const unsigned char *at, struct pattern_key key, uint64_t offset)
{
	unsigned char want[PATTERN_SECTOR];
	uint32_t bits = 0;

	pattern_fill(want, sizeof(want), key, offset);
	for (size_t i = 0; i < sizeof(want); i++)
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

/* The fewest bits in which the sector differs from one that could stand here. */
static uint32_t flips(const unsigned char *at, uint64_t offset, const struct expected *expected,
		      uint64_t *generation)
{
	uint32_t fewest = bits_between(at, key_of(expected, *generation), offset);
	bool is_open = expected->newest == UINT64_MAX;

	for (uint64_t i = 0; fewest > FLIPS_MOST && i < GENERATIONS_TRIED; i++) {
		uint64_t g = is_open ? expected->oldest + i : expected->newest - i;
		if (!is_among(expected, g))
			break;
		uint32_t bits = bits_between(at, key_of(expected, g), offset);
		if (bits >= fewest)
			continue;
		fewest = bits;
		*generation = g;
	}
	return fewest;
}

/* ---- a piece ---- */

uint64_t miscompare_generation(const void *piece, size_t size, uint64_t offset,
			       const struct expected *expected)
{
	const unsigned char *at = piece;

	for (size_t i = 0; expected->oldest != expected->newest && i < size; i += PATTERN_SECTOR) {
		struct sector s = examine(at + i, offset + i, expected);
		if (s.is_proven && s.is_here && is_among(expected, s.place.generation))
			return s.place.generation;
	}
	return expected->newest == UINT64_MAX ? expected->oldest : expected->newest;
}

static bool has_another_generation(const unsigned char *at, size_t size, uint64_t offset,
				   const struct expected *expected, uint64_t than)
{
	for (size_t i = 0; i < size; i += PATTERN_SECTOR) {
		struct sector s = examine(at + i, offset + i, expected);
		if (s.is_proven && s.is_here && s.place.generation != than)
			return true;
	}
	return false;
}

/* What the head names is believed with some bits wrong, too: chance does not come so near. */
static enum miscompare_kind judge_damaged(const unsigned char *at, uint64_t offset,
					  const struct expected *expected, const struct sector *s,
					  struct miscompare *into)
{
	struct pattern_key said = pattern_key(expected->seed, s->place.owner, s->place.generation);

	into->bits = bits_between(at, said, s->place.offset);
	if (into->bits <= FLIPS_MOST && !s->is_here)
		return MISCOMPARE_MISDIRECTED;
	if (into->bits <= FLIPS_MOST && !is_among(expected, s->place.generation))
		return MISCOMPARE_STALE;
	if (into->bits > FLIPS_MOST)
		into->bits = flips(at, offset, expected, &into->wanted);
	return into->bits <= FLIPS_MOST ? MISCOMPARE_BIT_FLIPS : MISCOMPARE_FOREIGN;
}

static enum miscompare_kind judge(const unsigned char *piece, size_t size, uint64_t offset,
				  const struct expected *expected, struct miscompare *into)
{
	size_t first = into->at / PATTERN_SECTOR * PATTERN_SECTOR;
	struct sector s = examine(piece + first, offset + first, expected);

	into->is = s.place;
	if (is_zero(piece + first))
		return MISCOMPARE_ZEROS;
	if (!s.is_proven)
		return judge_damaged(piece + first, offset + first, expected, &s, into);
	if (!s.is_here)
		return MISCOMPARE_MISDIRECTED;
	return has_another_generation(piece, size, offset, expected, s.place.generation)
		       ? MISCOMPARE_TORN
		       : MISCOMPARE_STALE;
}

bool miscompare_find(const void *piece, size_t size, uint64_t offset,
		     const struct expected *expected, struct miscompare *into)
{
	*into = (struct miscompare){.owner = expected->owner};
	into->wanted = miscompare_generation(piece, size, offset, expected);
	into->at = pattern_check(piece, size, key_of(expected, into->wanted), offset);
	if (into->at == size)
		return false;
	into->kind = judge(piece, size, offset, expected, into);
	return true;
}
