#include "proto/phase_memory.h"

#include <sys/uio.h>

#define LEAST_SLOTS 1024
#define COVER_NS    UINT64_C(60000000000)

uint32_t phase_memory_slots(uint64_t bucket_ns)
{
	uint64_t slots = COVER_NS / bucket_ns;

	return slots > LEAST_SLOTS ? (uint32_t)slots : LEAST_SLOTS;
}

uint64_t phase_memory_stride(const struct phase *phase, uint64_t alignment)
{
	if (!phase_moves_data(phase)) /* nothing is ever put there */
		return alignment;
	return (phase->block_size + alignment - 1) / alignment * alignment;
}

uint64_t phase_memory_vectors(const struct phase *phase, const struct phase_memory_target *target)
{
	if (target->parts <= 1 || !target->stripe_unit)
		return 1;
	uint64_t units = phase->block_size / target->stripe_unit + 2; /* cut at both ends */
	return (units + target->parts - 1) / target->parts;
}

/* A batch has the buckets that ended since the last one, and two that are open or late. */
uint64_t phase_memory_waiting(uint64_t bucket_ns)
{
	return PHASE_MEMORY_WAIT / bucket_ns + 2 * (PHASE_MEMORY_WAIT / PHASE_MEMORY_HARVEST) + 2;
}

static uint64_t worker(const struct phase *phase, uint64_t bucket_ns,
		       const struct phase_memory_target *target)
{
	uint64_t depth = phase->queue_depth, parts = target->parts ? target->parts : 1;
	uint64_t vectors = phase_memory_vectors(phase, target);

	return PHASE_MEMORY_WORKER +
	       (phase_memory_slots(bucket_ns) + depth + 1) * PHASE_MEMORY_SLOT +
	       depth * (PHASE_MEMORY_REQUEST +
			parts * (PHASE_MEMORY_IO + vectors * sizeof(struct iovec)));
}

void phase_memory_add(struct phase_memory *memory, const struct phase *phase, uint64_t bucket_ns,
		      const struct phase_memory_target *target)
{
	uint64_t buffer = phase_memory_stride(phase, target->alignment);

	memory->buffers += buffer * phase->queue_depth * phase->workers;
	memory->workers += worker(phase, bucket_ns, target) * phase->workers;
	memory->waiting += phase_memory_waiting(bucket_ns) * PHASE_MEMORY_ENTRY;
}

void phase_memory_add_layout(struct phase_memory *memory, uint64_t files)
{
	memory->layout += files * PHASE_MEMORY_LAYOUT;
}

uint64_t phase_memory_total(const struct phase_memory *memory)
{
	return memory->buffers + memory->workers + memory->layout + memory->waiting;
}
