/* written.h - what this agent has written where since it was leased, kept from phase to phase.
 *
 * By path, as ranges of a file or device that are alike. So a read phase knows what it must lay out
 * first: a file that is not known here, also one that an earlier process made and kept, counts as
 * never written; and a phase that verifies knows whose data of which generation must stand where.
 * Also the generation that the next data written to a file or device have, so that nothing is
 * written over with itself. For one thread at a time; the questions may be asked by several. */
#ifndef MUSTER_AGENT_WRITTEN_H
#define MUSTER_AGENT_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/pattern_shape.h"

struct written;

/* [from, to) holds data of one owner (pattern.h): of the generation `newest`, where it is
 * `oldest`; else each piece of `unit` bytes is of one generation of those between. */
struct written_range {
	uint64_t from, to;
	uint64_t seed;  /* of the run that wrote it */
	uint64_t owner; /* 0: of one of several, it is not known of which */
	uint64_t oldest, newest;
	struct pattern_shape shape; /* of the newest; zeros: some are, which tell nothing */
	uint64_t unit; /* pieces begin at its multiples; it divides all blocks that were written; 0:
			  written in none */
};

struct written *written_new(void);
void written_free(struct written *written);

/* All of the range holds that data now; what was there is gone. */
void written_set(struct written *written, const char *path, const struct written_range *range);

/* Some of the range may have been written over, in whole units, with generations up to
 * `range->newest`. What was never written stays so: it may still be. */
void written_touch(struct written *written, const char *path, const struct written_range *range);

/* What an earlier run left, in place of what is known: ascending, not overlapping. */
void written_load(struct written *written, const char *path, const char *run, uint64_t generation,
		  const struct written_range *ranges, uint32_t count);

/* The run that written_load named, while nothing else was written; else NULL. */
const char *written_from(const struct written *written, const char *path);

/* Some of the range may have been given back: none of it counts as written, and all of it as
 * trimmed, until it is written again. */
void written_trim(struct written *written, const char *path, uint64_t from, uint64_t to);

/* The first offset below `to` that was trimmed and not written since; false when there is none. */
bool written_is_trimmed(const struct written *written, const char *path, uint64_t to,
			uint64_t *offset);

/* The file is new and empty, or is gone. The generation stays. */
void written_forget(struct written *written, const char *path);

/* The ranges of a file or device, ascending, not overlapping; lent until the next change. */
const struct written_range *written_ranges(const struct written *written, const char *path,
					   uint32_t *count);

/* The first stretch [*gap_from, *gap_to) within [from, to) that is not written; false when there
 * is none. */
bool written_gap(const struct written *written, const char *path, uint64_t from, uint64_t to,
		 uint64_t *gap_from, uint64_t *gap_to);

/* Bytes within [0, to) that are not written. */
uint64_t written_missing(const struct written *written, const char *path, uint64_t to);

/* Whether the file stands on the file system on which it stood, or was to, when this was first
 * asked. */
bool written_is_ground(struct written *written, const char *path, uint64_t device);

/* The generation that the next data have: 0 at first. Setting it never lowers it. */
uint64_t written_generation(const struct written *written, const char *path);
void written_set_generation(struct written *written, const char *path, uint64_t generation);

/* The largest unit that divides both; 0 divides as everything does. */
uint64_t written_unit(uint64_t a, uint64_t b);

#endif
