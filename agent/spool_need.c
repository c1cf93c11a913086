#include "agent/spool_need.h"

#include "common/framed.h"
#include "proto/phase_memory.h"

/* As msgpack in the worst case: an array's head, two numbers of 32 bits, five of 64. */
#define BUCKET_BYTES (1 + 2 * 5 + 5 * 9)
/* Framing, the frame's head with the lease's token, the batch's number and length. */
#define FRAME_BYTES (FRAMED_HEAD + 80 + 20)
/* A histogram with every bin in use (128 bins for each power of two up to 2^42: 36 of them), texts,
 * devices. */
#define TARGET_BYTES (36 * 128 * (1 + 5 + 9) + 16384)
#define WORKER_BYTES 320
/* prepare, ready, and what comes once a second at most: amendments, disruptions. */
#define PHASE_BYTES  65536
#define SECOND_BYTES 2048
#define NO_LENGTH_NS UINT64_C(3600000000000)
#define SECOND_NS    UINT64_C(1000000000)

uint64_t spool_need(const struct prepare *prepare)
{
	const struct phase *phase = &prepare->phase;
	uint64_t length = phase->runtime ? phase->ramp + phase->runtime : NO_LENGTH_NS;
	uint64_t harvests = length / PHASE_MEMORY_HARVEST + 2;
	uint64_t buckets = length / prepare->bucket_ns + 2 + 2 * harvests;
	uint64_t targets = phase->targets_count;

	return PHASE_BYTES + length / SECOND_NS * SECOND_BYTES + harvests * FRAME_BYTES +
	       targets * (buckets * BUCKET_BYTES + TARGET_BYTES +
			  (uint64_t)phase->workers * WORKER_BYTES);
}
