#include "agent/request.h"

#include "common/memory.h"

static void give_vectors(struct request *request, const struct load_target *target, uint32_t number,
			 struct iovec **vectors, uint64_t each)
{
	for (uint32_t part = 0; part < target->parts_count; part++) {
		struct io *io = &request->ios[part];
		io->fd = target->parts[part]->fd;
		io->file = part;
		io->request = request;
		io->buffer = number;
		io->vector = *vectors;
		io->vector[0].iov_base = request->buffer;
		io->vector_count = 1;
		*vectors += each;
	}
}

void *requests_init(struct request *requests, uint32_t count, const struct load_target *target,
		    uint64_t block_size, char *buffers, uint64_t stride)
{
	uint64_t vectors_each = stripe_vectors(&target->stripe, block_size);
	size_t ios_count = (size_t)count * target->parts_count;
	struct io *ios = mem_new(1, ios_count * sizeof(*ios) +
					    ios_count * vectors_each * sizeof(struct iovec));
	struct iovec *vectors = (struct iovec *)(ios + ios_count);

	for (uint32_t i = 0; i < count; i++) {
		requests[i] = (struct request){
			.buffer = buffers + i * stride,
			.ios = ios + (size_t)i * target->parts_count,
		};
		give_vectors(&requests[i], target, i, &vectors, vectors_each);
	}
	return ios;
}

uint32_t request_aim_at_parts(struct request *request, const struct load_target *target,
			      struct io **ios)
{
	uint32_t count = 0;

	stripe_map(&target->stripe, request->place.offset, request->buffer, request->place.length,
		   request->ios);
	for (uint32_t part = 0; part < target->parts_count; part++) {
		if (!request->ios[part].length)
			continue;
		request->ios[part].kind = request->place.kind;
		ios[count++] = &request->ios[part];
	}
	request->pending = count;
	request->submitted_ns = UINT64_MAX;
	request->completed_ns = 0;
	request->moved_bytes = 0;
	request->error = 0;
	return count;
}

bool request_part_done(struct request *request, const struct io *io)
{
	if (io->submitted_ns < request->submitted_ns)
		request->submitted_ns = io->submitted_ns;
	if (io->completed_ns > request->completed_ns)
		request->completed_ns = io->completed_ns;
	if (io->result > 0)
		request->moved_bytes += (uint64_t)io->result;
	if (io->result < 0 && !request->error) {
		request->error = (int)-io->result;
		request->error_part = (uint32_t)(io - request->ios);
	}
	return --request->pending == 0;
}
