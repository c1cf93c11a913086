#include "common/permutation.h"

#include "common/random.h"

void permutation_begin(struct permutation *p, uint64_t count, uint64_t seed)
{
	struct random random = {.state = seed};
	uint32_t bits = count > 1 ? 64u - (uint32_t)__builtin_clzll(count - 1) : 0;

	*p = (struct permutation){.count = count,
				  .mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
				  .shift = (bits + 1) / 2 ? (bits + 1) / 2 : 1};
	for (int round = 0; round < PERMUTATION_ROUNDS; round++) {
		p->keys[round] = random_next(&random);
		p->factors[round] = random_next(&random) | 1;
	}
}
