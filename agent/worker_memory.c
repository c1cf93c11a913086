/* worker_memory.c - all that a worker needs before it runs: made once, so that its loop allocates
 * nothing. */
#include "agent/worker_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/memory.h"
#include "proto/phase_memory.h"

/* What is said before the phase of what it takes (phase_memory.h). */
_Static_assert(sizeof(struct worker) + 2 * sizeof(struct histogram) <= PHASE_MEMORY_WORKER,
	       "a worker is larger than is said");
_Static_assert(sizeof(struct request) + sizeof(struct request *) <= PHASE_MEMORY_REQUEST,
	       "a request is larger than is said");
_Static_assert(sizeof(struct io) + 2 * sizeof(struct io *) <= PHASE_MEMORY_IO,
	       "an I/O is larger than is said");
_Static_assert(sizeof(struct bucket_slot) <= PHASE_MEMORY_SLOT, "a slot is larger than is said");

/* A worker's buffers may have more than 4 GiB; phase_memory.h counts in 64 bits. */
_Static_assert(sizeof(size_t) >= sizeof(uint64_t), "muster-agent is for 64-bit systems");

static uint64_t stride(const struct phase *phase, const struct load_target *target)
{
	return phase_memory_stride(phase, phase_targets_buffer_alignment(target));
}

static uint64_t buffer_bytes(const struct worker_setup *setup)
{
	return stride(setup->phase, setup->target) * setup->phase->queue_depth;
}

static int allocate_buffers(struct worker *w, struct error *err)
{
	const struct worker_setup *setup = &w->setup;
	uint64_t size = buffer_bytes(setup);

	if (buffers_init(&w->buffers, setup->phase->hugepages,
			 phase_targets_buffer_alignment(setup->target), size, err) == 0 &&
	    buckets_init(&w->buckets, setup->bucket_ns, w->depth))
		return 0;
	if (!w->buffers.memory)
		error_prefix(err, "target '%s'", setup->target->target->name);
	else
		error_set(err, ERROR_REFUSED,
			  "no memory for a worker of target '%s': %zu bytes of timeline were asked "
			  "for: lower queue_depth or workers",
			  setup->target->target->name, buckets_memory(setup->bucket_ns, w->depth));
	return -1;
}

static void allocate_requests(struct worker *w)
{
	const struct worker_setup *setup = &w->setup;
	uint32_t ios = w->ios_count;

	w->requests = mem_new(w->depth, sizeof(*w->requests));
	w->idle = mem_new(w->depth, sizeof(*w->idle));
	w->keys = mem_new(setup->target->parts_count, sizeof(*w->keys));
	w->batch = mem_new(ios, sizeof(*w->batch));
	w->back = mem_new(ios, sizeof(*w->back));
	w->memory = requests_init(w->requests, w->depth, setup->target, setup->phase->block_size,
				  w->buffers.memory, stride(setup->phase, setup->target));
	for (uint32_t i = 0; i < w->depth; i++)
		w->idle[w->idle_count++] = &w->requests[i];
}

static void prepare_verify(struct worker *w)
{
	const struct worker_setup *from = &w->setup;
	const struct verify_setup setup = {
		.phase = from->phase,
		.target = from->target,
		.host = from->host,
		.seed = from->seed,
		.written = from->written,
		.evidence = from->evidence,
	};

	if (from->phase->verify)
		verify_init(&w->verify, &setup);
}

static int open_engine(struct worker *w, struct error *err)
{
	const struct load_target *target = w->setup.target;
	struct iovec *buffers = mem_new(w->depth, sizeof(*buffers));
	int *fds = mem_new(target->parts_count, sizeof(*fds));

	for (uint32_t i = 0; i < w->depth; i++)
		buffers[i] = (struct iovec){.iov_base = w->requests[i].buffer,
					    .iov_len = w->setup.phase->block_size};
	for (uint32_t i = 0; i < target->parts_count; i++)
		fds[i] = target->parts[i]->fd;
	struct engine_setup setup = {
		.depth = w->ios_count,
		.buffers = buffers,
		.buffers_count = w->depth,
		.fds = fds,
		.fds_count = target->parts_count,
		.polls = w->setup.phase->iopoll,
		.sync_each = w->setup.phase->sync == PHASE_SYNC_EACH,
	};
	w->engine = w->ops->open(&setup, err);
	free(buffers);
	free(fds);
	return w->engine ? 0 : -1;
}

/* What the loop asks for each I/O, once. */
static void set_flags(struct worker *w)
{
	const struct phase *phase = w->setup.phase;

	w->is_one = w->setup.target->parts_count == 1;
	w->drains = phase_writes(phase);
	w->counts_more = w->pace.is_on || phase->block_mix_count;
	w->verifies = phase->verify;
}

struct worker *worker_new(const struct worker_setup *setup, struct error *err)
{
	struct worker *w = platform_buffer(CACHE_LINE, sizeof(*w));

	if (!w) {
		error_set(err, ERROR_REFUSED, "no memory for a worker: %zu bytes were asked for",
			  sizeof(*w));
		return NULL;
	}
	memset(w, 0, sizeof(*w));
	w->setup = *setup;
	w->depth = setup->phase->queue_depth;
	w->ios_count = w->depth * setup->target->parts_count;
	w->ops = setup->target->engine;
	w->intact = w->end_ns = UINT64_MAX;
	offsets_init(&w->offsets, setup->phase, setup->target->used_bytes, setup->index,
		     setup->order, setup->generation);
	pace_init(&w->pace, setup->phase, setup->index);
	if (w->pace.is_on)
		w->response = mem_new(1, sizeof(*w->response));
	if (setup->phase->sync_every)
		w->syncs = mem_new(1, sizeof(*w->syncs));
	worker_expect_sync(w);
	set_flags(w);
	if (allocate_buffers(w, err)) {
		worker_free(w);
		return NULL;
	}
	allocate_requests(w);
	prepare_verify(w);
	if (open_engine(w, err)) {
		worker_free(w);
		return NULL;
	}
	return w;
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->engine)
		w->ops->close(w->engine);
	buckets_release(&w->buckets);
	free(w->requests);
	free(w->idle);
	free(w->batch);
	free(w->back);
	free(w->memory);
	free(w->keys);
	free(w->response);
	free(w->syncs);
	verify_release(&w->verify);
	buffers_release(&w->buffers);
	free(w);
}
