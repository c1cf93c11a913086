/* offsets.h - where a worker's next I/O goes, of which kind, and in which pass; nothing else.
 *
 * The used extent is divided among the workers in whole blocks, each block in exactly one region:
 * contiguous regions of which the last ones may have a block less, or every W-th block from block w
 * on. Sequential access walks the region again and again; random reads range over all of the used
 * extent, random writes over the region; with full coverage either visits each block of the region
 * once a pass. Of a mix of sizes the largest is the block: an I/O of
 * another begins at a multiple of its own size, counted from where the extent or the region begins,
 * and an amount is moved when no less of it is given out. The generation counts the times that a
 * region's number of blocks was visited: what is written then is new data. Rules: docs/DESIGN.md,
 * "Targets, sizes, and who touches what". */
#ifndef MUSTER_AGENT_OFFSETS_H
#define MUSTER_AGENT_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/engine/engine.h"
#include "common/permutation.h"
#include "common/random.h"
#include "proto/phase.h"

/* One size of a mix: how many blocks of it the used extent and the region hold. */
struct offsets_size {
	uint64_t bytes, blocks, count;
};

enum offsets_walk {
	OFFSETS_WALK_SEQUENTIAL,
	OFFSETS_WALK_RANDOM,
	OFFSETS_WALK_FULL, /* random, each block of the region once a pass */
};

struct offsets {
	uint64_t block_size;
	uint64_t blocks;             /* of the used extent */
	uint64_t first, step, count; /* the region: block first + i * step, i < count */
	uint64_t next;               /* i of the next block */
	uint64_t left;               /* bytes until the amount is moved; UINT64_MAX: no amount */
	uint64_t generation;
	bool reads_own; /* random reads stay in the region, where nobody else writes */
	enum offsets_walk walk;
	enum io_kind kind; /* of all, but of a mixed phase */
	bool is_mixed;
	uint32_t read_percent;
	struct random random;
	struct permutation order; /* of the pass */
	uint32_t sizes_count;     /* 0: no mix */
	struct offsets_size sizes[PHASE_MIX_MOST];
	uint8_t size_of[100]; /* of each hundredth of all I/Os */
};

struct place {
	enum io_kind kind;
	uint32_t size;   /* which of the mix */
	uint64_t offset; /* in the target */
	uint64_t length;
	uint64_t generation;
};

/* For worker `worker` of phase->workers on a used extent of `used_bytes`, which must hold at least
 * a block for each worker. The first pass has `generation`. */
void offsets_init(struct offsets *offsets, const struct phase *phase, uint64_t used_bytes,
		  uint32_t worker, uint64_t seed, uint64_t generation);

/* The next place; false when the worker's share of the amount is all given out. */
bool offsets_next(struct offsets *offsets, struct place *place);

/* How much of `total` things worker `worker` of `workers` has: shares differ by one at most, the
 * larger ones first. */
uint64_t offsets_share(uint64_t total, uint32_t workers, uint32_t worker);

#endif
