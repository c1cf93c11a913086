#include "agent/request.h"

#include "common/memory.h"

static void give_vectors(struct request *request, const struct load_target *target, uint32_t number,
			 struct iovec **vectors, uint64_t each)
{
	for (uint32_t part = 0; part < target->parts_count; part++) {
		struct io *io = &request->ios[part];
		io->fd = target->parts[part]->fd;
		io->file = part;
		io->parent = io->buffer = number;
		io->vector = *vectors;
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

/* On what is no stripe there is one I/O, of one piece: most loads, so without a detour. */
static uint32_t aim_at_one(struct request *request, struct io **ios)
{
	struct io *io = &request->ios[0];

	io->kind = request->place.kind;
	io->offset = request->place.offset;
	io->length = request->place.length;
	io->vector[0] = (struct iovec){.iov_base = request->buffer, .iov_len = io->length};
	io->vector_count = 1;
	ios[0] = io;
	return 1;
}

static uint32_t aim_at_parts(struct request *request, const struct load_target *target,
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
	return count;
}

uint32_t request_aim(struct request *request, const struct load_target *target, struct io **ios)
{
	request->pending = target->parts_count == 1 ? aim_at_one(request, ios)
						    : aim_at_parts(request, target, ios);
	request->submitted_ns = UINT64_MAX;
	request->completed_ns = 0;
	request->moved_bytes = 0;
	request->error = 0;
	return request->pending;
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
