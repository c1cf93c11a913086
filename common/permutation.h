/* permutation.h - the numbers below any count, each once, in an order that looks random: without a
 * map of those that were.
 *
 * A counter walks the next power of two; each of its values is mixed by a bijection of so many
 * bits (add a key, fold the upper half in, multiply by an odd number, four times, fold again), and
 * what comes out at or above the count is passed over: less than two steps a number on average. */
#ifndef MUSTER_COMMON_PERMUTATION_H
#define MUSTER_COMMON_PERMUTATION_H

#include <stdint.h>

#define PERMUTATION_ROUNDS 4

struct permutation {
	uint64_t count, mask, counter;
	uint64_t keys[PERMUTATION_ROUNDS], factors[PERMUTATION_ROUNDS];
	uint32_t shift;
};

/* Of the numbers below `count` > 0; another order for each seed. Begins at its first. */
void permutation_begin(struct permutation *permutation, uint64_t count, uint64_t seed);

/* The next number; at most `count` times after permutation_begin. */
static inline uint64_t permutation_next(struct permutation *p)
{
	uint64_t x;

	do {
		x = p->counter++;
		for (int round = 0; round < PERMUTATION_ROUNDS; round++) {
			x = (x + p->keys[round]) & p->mask;
			x ^= x >> p->shift;
			x = x * p->factors[round] & p->mask;
		}
		x ^= x >> p->shift;
	} while (x >= p->count);
	return x;
}

#endif
