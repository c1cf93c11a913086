#include "common/pattern.h"

#include <string.h>

#include "common/random.h"

#define WORD      sizeof(uint64_t)
#define INCREMENT UINT64_C(0x9e3779b97f4a7c15)

/* FNV-1a of a name and its end, so that ("a", "bc") and ("ab", "c") differ. */
static uint64_t hash_name(uint64_t hash, const char *name)
{
	do
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	while (*name++);
	return random_mix(hash);
}

uint64_t pattern_key(uint64_t seed, const char *host, const char *target, uint64_t generation)
{
	uint64_t key = random_mix(seed + INCREMENT);

	key = hash_name(key, host);
	key = hash_name(key, target);
	return random_mix(key ^ random_mix(generation + INCREMENT));
}

/* The counter of the word at `offset`; the next word's is INCREMENT more. */
static uint64_t counter_at(uint64_t key, uint64_t offset)
{
	return key + (offset / WORD + 1) * INCREMENT;
}

void pattern_fill(void *buffer, size_t size, uint64_t key, uint64_t offset)
{
	unsigned char *at = buffer;
	uint64_t counter = counter_at(key, offset);

	for (size_t i = 0; i < size / WORD; i++) {
		uint64_t word = random_mix(counter + i * INCREMENT);
		memcpy(at + i * WORD, &word, WORD);
	}
}

size_t pattern_check(const void *buffer, size_t size, uint64_t key, uint64_t offset)
{
	/* Made again a piece at a time: what stays in the first cache costs next to nothing. */
	unsigned char want[4096];
	const unsigned char *at = buffer;

	for (size_t done = 0, piece; done < size; done += piece) {
		piece = size - done < sizeof(want) ? size - done : sizeof(want);
		pattern_fill(want, piece, key, offset + done);
		if (memcmp(at + done, want, piece) == 0)
			continue;
		while (at[done] == want[done % sizeof(want)])
			done++;
		return done;
	}
	return size;
}
