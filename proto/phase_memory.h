/* phase_memory.h - the memory that a phase takes on a host, from the plan alone: the agent holds it
 * against its limit, `muster check` prints it.
 *
 * Upper bounds, and none that grows with the length of the phase: buffers and what is around them;
 * each worker's histograms and its timeline on the way to the session; a piece of data for each
 * file that is laid out; and batches that wait for the controller's acknowledgement, which it
 * owes within `dead_after`. */
#ifndef MUSTER_PROTO_PHASE_MEMORY_H
#define MUSTER_PROTO_PHASE_MEMORY_H

#include <stdint.h>

#include "proto/phase.h"

/* Bytes of the agent's structs at most; it asserts them where it defines the structs. */
#define PHASE_MEMORY_WORKER  (128 << 10) /* with its histograms */
#define PHASE_MEMORY_REQUEST 256
#define PHASE_MEMORY_IO      128
#define PHASE_MEMORY_SLOT    64 /* of a bucket on its way */
#define PHASE_MEMORY_LAYOUT  (1 << 20)
#define PHASE_MEMORY_ENTRY   80 /* a bucket of a batch, packed, and its share of the message */
#define PHASE_MEMORY_HARVEST UINT64_C(100000000)   /* ns from one batch to the next */
#define PHASE_MEMORY_WAIT    UINT64_C(60000000000) /* the longest `dead_after` */

struct phase_memory {
	uint64_t buffers; /* of I/O */
	uint64_t workers;
	uint64_t layout;
	uint64_t waiting;
};

/* What of a target matters; one that is no stripe has one part. */
struct phase_memory_target {
	uint32_t parts;
	uint64_t stripe_unit;
	uint64_t alignment; /* of buffers; a power of two */
};

/* Adds all workers of the phase on one target, and its batches. */
void phase_memory_add(struct phase_memory *memory, const struct phase *phase, uint64_t bucket_ns,
		      const struct phase_memory_target *target);
/* Adds the lay-out of so many files. */
void phase_memory_add_layout(struct phase_memory *memory, uint64_t files);

uint64_t phase_memory_total(const struct phase_memory *memory);

/* From one I/O buffer of a worker to the next. */
uint64_t phase_memory_stride(const struct phase *phase, uint64_t alignment);
/* Slots of a worker's timeline that wait to be collected: 60 s of them, and no less than 1024. */
uint32_t phase_memory_slots(uint64_t bucket_ns);
/* Buckets of one target in all batches that can wait at once. */
uint64_t phase_memory_waiting(uint64_t bucket_ns);
/* Most vectors of a request on one part. */
uint64_t phase_memory_vectors(const struct phase *phase, const struct phase_memory_target *target);

#endif
