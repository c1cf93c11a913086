/* phase_targets.h - the targets of a phase on this host: looked up, measured, held against what
 * the phase asks for, opened.
 *
 * A target is striped over its parts, or is one part. Its extent is its `size`, else the device's,
 * else the phase's size; the phase uses no more of it than its own size, in whole blocks. Rules:
 * docs/DESIGN.md, "Targets, sizes, and who touches what". */
#ifndef MUSTER_AGENT_PHASE_TARGETS_H
#define MUSTER_AGENT_PHASE_TARGETS_H

#include <stdint.h>

#include "agent/engine/engine.h"
#include "agent/part.h"
#include "agent/stripe.h"
#include "common/error.h"
#include "proto/messages.h"

struct load_target {
	const struct target *target; /* lent */
	struct part **parts;
	uint32_t parts_count;
	struct stripe stripe;
	const struct engine_ops *engine;
	char engine_reason[256]; /* why that one; empty: there is no choice */
	uint64_t extent_bytes;
	uint64_t used_bytes; /* the phase's I/O stays within [0, used_bytes) */
};

struct phase_targets {
	struct load_target *targets; /* in the order of the phase */
	uint32_t targets_count;
	struct part **parts; /* of all targets, each once */
	uint32_t parts_count;
	const char *_Atomic
		at; /* the target at which the last call failed; NULL: none in particular */
};

/* Looks all of them up and checks what can be checked without changing anything. `targets` is
 * zeroed before and released after, also on failure; it lends from `prepare`. */
int phase_targets_find(struct phase_targets *targets, const struct prepare *prepare,
		       const struct part_context *context, struct error *err);

/* Opens all parts, making files that are missing. */
/* Instead of opening, for a check: refuses what opening would, as far as that can be known. */
int phase_targets_look(struct phase_targets *targets, const struct part_context *context,
		       struct error *err);
/* What becomes of which file and device. */
void phase_targets_places(const struct phase_targets *targets, const struct part_context *context);
int phase_targets_open(struct phase_targets *targets, const struct part_context *context,
		       struct error *err);

/* Closes all parts; they are described and reported as before. */
void phase_targets_close(struct phase_targets *targets);

void phase_targets_release(struct phase_targets *targets);

/* What the phase is told of a target, to append to `ready`. */
void phase_targets_describe(const struct load_target *target, struct ready_target *into);

/* Buffers for direct I/O on this target begin at multiples of it. */
uint64_t phase_targets_buffer_alignment(const struct load_target *target);

/* The largest unit of which every block of the phase is whole ones on every part (written.h). */
uint64_t phase_targets_unit(const struct load_target *target, const struct phase *phase);

/* The generation that data written to the target have next. */
uint64_t phase_targets_generation(const struct load_target *target, const struct written *written);

#endif
