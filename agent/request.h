/* request.h - one operation of a worker, as the I/Os on the parts of its target.
 *
 * On a stripe a request is one I/O for each part it touches, else it is one I/O. It is complete
 * when all of them are; its latency is from the first submit to the last completion. */
#ifndef MUSTER_AGENT_REQUEST_H
#define MUSTER_AGENT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/buckets.h"
#include "agent/offsets.h"
#include "agent/phase_targets.h"
#include "agent/stripe.h"

struct request {
	struct place place;
	uint64_t number; /* the how many-th of the worker, from 0 */
	char *buffer;
	struct io *ios;   /* one a part of the target */
	uint32_t pending; /* parts that are not complete */
	uint64_t due_ns;  /* of a phase with a rate */
	uint64_t submitted_ns, completed_ns;
	uint64_t moved_bytes;
	int error; /* errno of the first part that failed; 0: none failed outright */
	uint32_t error_part;
};

/* Gives `count` requests their I/Os and vectors, allocated in one piece that the caller frees.
 * `block_size`: of the largest request; `buffers`: theirs, `stride` bytes apart. */
void *requests_init(struct request *requests, uint32_t count, const struct load_target *target,
		    uint64_t block_size, char *buffers, uint64_t stride);

/* On a target of one part the request is one I/O of one piece: most loads, so inline and without a
 * detour. What requests_init has set stays. */
static inline uint32_t request_aim_at_one(struct request *request, struct io **ios)
{
	struct io *io = request->ios;

	io->kind = request->place.kind;
	io->offset = request->place.offset;
	io->length = io->vector->iov_len = request->place.length;
	*ios = io;
	return request->pending = 1;
}

uint32_t request_aim_at_parts(struct request *request, const struct load_target *target,
			      struct io **ios);

/* Aims the request at its place; puts the I/Os to submit at `ios` and answers how many. */
static inline uint32_t request_aim(struct request *request, const struct load_target *target,
				   struct io **ios)
{
	return target->parts_count == 1 ? request_aim_at_one(request, ios)
					: request_aim_at_parts(request, target, ios);
}

/* The I/O of a request on one part is back: the request is complete. */
static inline void request_one_done(struct request *request, const struct io *io)
{
	request->pending = 0;
	request->submitted_ns = io->submitted_ns;
	request->completed_ns = io->completed_ns;
	request->moved_bytes = io->result > 0 ? (uint64_t)io->result : 0;
	request->error = io->result < 0 ? (int)-io->result : 0;
}

/* One of its I/Os on several parts is back; answers whether the request is complete. */
bool request_part_done(struct request *request, const struct io *io);

#endif
