/* pattern.h - data that cannot flatter a disk: incompressible, not dedupable, known again later.
 *
 * The 8 bytes at absolute position p of a target are a pure function of (seed, target, generation,
 * p): SplitMix64 in counter mode. So any part of a block can be made again from its place alone,
 * and no two blocks of any host, target or generation are alike. */
#ifndef MUSTER_COMMON_PATTERN_H
#define MUSTER_COMMON_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The key of all blocks of one target in one generation (times written over). `seed` is the run's,
 * `host` and `target` are names. Cheap, but not for each I/O: keep it until the generation moves.
 */
uint64_t pattern_key(uint64_t seed, const char *host, const char *target, uint64_t generation);

/* Fills `size` bytes (a multiple of 8) as they stand at `offset` (a multiple of 8). */
void pattern_fill(void *buffer, size_t size, uint64_t key, uint64_t offset);

/* The first position in the buffer that is not as pattern_fill makes it; `size` when all is. */
size_t pattern_check(const void *buffer, size_t size, uint64_t key, uint64_t offset);

#endif
