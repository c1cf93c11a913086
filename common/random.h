/* random.h - numbers that look random and can be had again from a seed; and the system's own. */
#ifndef MUSTER_COMMON_RANDOM_H
#define MUSTER_COMMON_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits. */
static inline uint64_t random_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *r)
{
	return random_mix(r->state += UINT64_C(0x9e3779b97f4a7c15));
}

__extension__ typedef unsigned __int128 random_product;

/* The rest of random_below for one product in 2^64 / below: there it may have to begin anew. */
uint64_t random_unbiased(struct random *r, uint64_t below, random_product product);

/* Uniform in [0, below), below > 0, without modulo bias: Lemire's multiply-shift with rejection
 * (2019); one multiplication nearly always. */
static inline uint64_t random_below(struct random *r, uint64_t below)
{
	random_product product = (random_product)random_next(r) * below;

	if ((uint64_t)product < below)
		return random_unbiased(r, below, product);
	return (uint64_t)(product >> 64);
}

/* From the system, for seeds and names of runs (not for keys). */
uint64_t random_seed(void);

/* Fills `into` from the system's generator: fit for keys and tokens. False when there is none. */
bool random_secret(void *into, size_t size);

#endif
