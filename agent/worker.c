#include "agent/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/pattern.h"
#include "proto/phase_memory.h"

/* ---- memory ---- */

/* What is said before the phase of what it takes (phase_memory.h). */
_Static_assert(sizeof(struct worker) + 2 * sizeof(struct histogram) <= PHASE_MEMORY_WORKER,
	       "a worker is larger than is said");
_Static_assert(sizeof(struct request) + sizeof(struct request *) <= PHASE_MEMORY_REQUEST,
	       "a request is larger than is said");
_Static_assert(sizeof(struct io) + 2 * sizeof(struct io *) <= PHASE_MEMORY_IO,
	       "an I/O is larger than is said");
_Static_assert(sizeof(struct bucket_slot) <= PHASE_MEMORY_SLOT, "a slot is larger than is said");

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
	size_t ios = (size_t)w->depth * setup->target->parts_count;

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
		.depth = w->depth * target->parts_count,
		.buffers = buffers,
		.buffers_count = w->depth,
		.fds = fds,
		.fds_count = target->parts_count,
		.polls = w->setup.phase->iopoll,
		.sync_each = w->setup.phase->sync == PHASE_SYNC_EACH,
	};
	w->engine = target->engine->open(&setup, err);
	free(buffers);
	free(fds);
	return w->engine ? 0 : -1;
}

static void expect_sync(struct worker *w)
{
	w->until_sync = w->setup.phase->sync_every ? w->setup.phase->sync_every : UINT64_MAX;
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
	w->intact = w->end_ns = UINT64_MAX;
	offsets_init(&w->offsets, setup->phase, setup->target->used_bytes, setup->index,
		     setup->order, setup->generation);
	pace_init(&w->pace, setup->phase, setup->index);
	if (w->pace.is_on)
		w->response = mem_new(1, sizeof(*w->response));
	if (setup->phase->sync_every)
		w->syncs = mem_new(1, sizeof(*w->syncs));
	expect_sync(w);
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
		w->setup.target->engine->close(w->engine);
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

/* ---- the loop ---- */

static void set_keys(struct worker *w, uint64_t generation)
{
	const struct load_target *target = w->setup.target;
	const char *host = w->setup.host;
	struct pattern_shape shape = phase_shape(w->setup.phase);

	w->key_generation = generation;
	for (uint32_t i = 0; i < target->parts_count; i++) {
		const char *name = target->parts[i]->target->name;
		w->keys[i] =
			pattern_key(w->setup.seed, pattern_owner(host, name), generation, shape);
	}
}

/* By its parts and the offsets there: so it is the same data whether a part is written through a
 * stripe or by itself. */
static void fill(struct worker *w, const struct request *request)
{
	if (request->place.generation != w->key_generation)
		set_keys(w, request->place.generation);
	for (uint32_t p = 0; p < w->setup.target->parts_count; p++) {
		const struct io *io = &request->ios[p];
		uint64_t offset = io->offset;
		for (int i = 0; io->length && i < io->vector_count; i++) {
			pattern_fill(io->vector[i].iov_base, io->vector[i].iov_len, w->keys[p],
				     offset);
			offset += io->vector[i].iov_len;
		}
	}
}

static bool is_over(const struct worker *w)
{
	return w->finished || w->now_ns >= w->end_ns ||
	       atomic_load_explicit(w->setup.stop, memory_order_relaxed);
}

/* `surely`: requests that the error has not to do with. */
static void note_error(struct worker *w, const struct worker_error *error, uint64_t surely)
{
	if (!w->error.completed_ns)
		w->error = *error;
	const struct failure kind = {
		.op = error->kind,
		.number = error->number,
		.count = 1,
		.first_offset = error->offset,
		.first_ns = error->completed_ns,
	};
	failures_add(&w->failures, &kind);
	if (surely < w->intact)
		w->intact = surely;
	bool full = error->number == ENOSPC || error->number == EDQUOT;
	if (full && error->kind != IO_READ) {
		w->end = WORKER_END_NO_SPACE;
		w->error.number = error->number;
		w->error.part = error->part;
		atomic_store_explicit(w->setup.stop, true, memory_order_relaxed);
	} else if (++w->errors_in_a_row >= WORKER_ERRORS_IN_A_ROW && !w->end) {
		w->end = WORKER_END_GAVE_UP;
	}
}

/* A clock that has jumped back makes no I/O shorter than nothing. */
static uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns >= from_ns ? to_ns - from_ns : 0;
}

static void add(struct tally *tally, const struct completion *c)
{
	if (c->kind == IO_READ)
		tally->bytes_read += c->bytes;
	else
		tally->bytes_written += c->bytes;
	tally->operations++;
}

static void count(struct worker *w, const struct request *request, const struct completion *c)
{
	struct tally *tally = w->tally;

	tally->errors += c->failed;
	if (!c->bytes)
		return;
	add(tally, c);
	if (tally != &w->after)
		return;
	histogram_add(&w->latency, c->latency_ns);
	if (w->response)
		histogram_add(w->response, since(request->due_ns, request->completed_ns));
	if (w->offsets.sizes_count)
		add(&w->sizes[request->place.size], c);
}

/* Each time that another bucket is turned to: is it of the ramp, and has the end moved? */
static void turn(struct worker *w)
{
	bool is_ramp = w->buckets.newest->bucket < w->setup.ramp_buckets;

	w->tally = is_ramp ? &w->ramp : &w->after;
	w->end_ns = clock_map_end(w->map);
}

/* ---- a sync after so many writes ---- */

/* What was written since the last one that succeeded may be lost. */
static void book_sync_error(struct worker *w, uint32_t part, int number)
{
	const struct completion c = {.kind = IO_SYNC, .failed = true, .completed_ns = w->now_ns};
	const struct worker_error error = {
		.kind = IO_SYNC, .number = number, .part = part, .completed_ns = w->now_ns};

	note_error(w, &error, w->synced);
	if (buckets_add(&w->buckets, &c))
		turn(w);
	w->tally->errors++;
}

/* All writes are back. The time is that of all parts of a stripe. */
static void sync_all(struct worker *w)
{
	const struct load_target *target = w->setup.target;
	uint64_t start = clock_now_ns();
	uint32_t part = 0;

	atomic_store_explicit(&w->outstanding.offset, OUTSTANDING_SYNC, memory_order_relaxed);
	atomic_store_explicit(&w->outstanding.waiting_since_ns, start, memory_order_relaxed);
	while (part < target->parts_count &&
	       !part_sync(target->parts[part], w->setup.phase->sync_call))
		part++;
	int failed = part < target->parts_count ? errno : 0;
	w->now_ns = clock_now_ns();
	atomic_store_explicit(&w->outstanding.waiting_since_ns, 0, memory_order_relaxed);
	expect_sync(w);
	if (failed) {
		book_sync_error(w, part, failed);
		w->finished |= w->end != WORKER_END_DONE;
		return;
	}
	w->synced = w->submitted;
	if (w->tally == &w->after)
		histogram_add(w->syncs, since(start, w->now_ns));
}

/* The engine has not seen the batch: its requests are as if they had never been. */
static void drop_batch(struct worker *w)
{
	for (uint32_t i = 0; i < w->batch_count; i++) {
		struct request *request = &w->requests[w->batch[i]->parent];
		if (!request->pending)
			continue;
		request->pending = 0;
		w->idle[w->idle_count++] = request;
		w->submitted--;
	}
	w->batch_count = 0;
	w->finished = true;
}

/* Between two passes of a load that writes: what is written again must not be overtaken by what was
 * written there before, nor be read meanwhile. Within a pass a block is written with the same data,
 * however often. */
static bool has_to_drain(const struct worker *w)
{
	return w->offsets.next == 0 && phase_writes(w->setup.phase) &&
	       (w->in_flight || w->batch_count);
}

/* With a rate the next request is made ready while it is not due, and goes out by itself. */
static uint32_t idle_to_leave(const struct worker *w)
{
	return w->pace.is_on && w->idle_count ? w->idle_count - 1 : 0;
}

/* A request for each idle slot. Filling takes long enough to look at the clock again after: there
 * is no submit past the end. */
static void gather(struct worker *w)
{
	bool filled = false;
	uint32_t leave = idle_to_leave(w);

	w->batch_count = w->batch_sent = 0;
	if (!w->until_sync && !w->in_flight && !is_over(w))
		sync_all(w);
	while (w->idle_count > leave && w->until_sync && !is_over(w) && !has_to_drain(w)) {
		struct request *request = w->idle[w->idle_count - 1];
		if (!offsets_next(&w->offsets, &request->place)) {
			w->finished = true;
			break;
		}
		w->idle_count--;
		request->number = w->submitted++;
		if (w->pace.is_on)
			request->due_ns = pace_take(&w->pace, request->place.length);
		w->batch_count += request_aim(request, w->setup.target, w->batch + w->batch_count);
		if (request->place.kind == IO_WRITE) {
			fill(w, request);
			filled = true;
			w->until_sync--;
		}
	}
	if (filled && (w->now_ns = clock_now_ns()) >= w->end_ns)
		drop_batch(w);
	if (is_over(w))
		w->finished = true;
}

static void submit(struct worker *w)
{
	if (!w->in_flight)
		atomic_store_explicit(&w->outstanding.waiting_since_ns, w->now_ns,
				      memory_order_relaxed);
	const struct request *first = &w->requests[w->batch[w->batch_sent]->parent];
	atomic_store_explicit(&w->outstanding.offset, first->place.offset, memory_order_relaxed);
	uint32_t taken = w->setup.target->engine->submit(w->engine, w->batch + w->batch_sent,
							 w->batch_count - w->batch_sent);
	w->batch_sent += taken;
	w->in_flight += taken;
}

static void book_error(struct worker *w, const struct request *request)
{
	const struct worker_error error = {
		.kind = request->place.kind,
		.number = request->error,
		.part = request->error_part,
		.offset = request->place.offset,
		.length = request->place.length,
		.moved_bytes = request->moved_bytes,
		.completed_ns = request->completed_ns,
	};

	note_error(w, &error, request->number);
}

static void book(struct worker *w, const struct request *request)
{
	struct completion c = {
		.kind = request->place.kind,
		.failed = request->moved_bytes < request->place.length || request->error,
		.bytes = request->moved_bytes,
		.completed_ns = request->completed_ns,
		.latency_ns = since(request->submitted_ns, request->completed_ns),
	};

	if (request->number == 0)
		w->first_submit_ns = request->submitted_ns;
	if (c.completed_ns > w->last_completion_ns)
		w->last_completion_ns = c.completed_ns;
	if (c.failed) {
		book_error(w, request);
	} else {
		w->errors_in_a_row = 0;
		w->completed++;
	}
	if (buckets_add(&w->buckets, &c))
		turn(w);
	count(w, request, &c);
}

/* Before its buffer is used again; takes long enough to look at the clock after. */
static void verify(struct worker *w, const struct request *request)
{
	bool is_whole = request->moved_bytes == request->place.length && !request->error;

	if (!w->setup.phase->verify || request->place.kind != IO_READ || !is_whole)
		return;
	verify_block(&w->verify, request);
	w->now_ns = clock_now_ns();
}

/* Once a second: is one of them old while others come back? */
static void look(struct worker *w)
{
	bool has_unsent = w->batch_sent < w->batch_count;
	const struct outstanding_requests all = {
		.requests = w->requests,
		.count = w->depth,
		.parts = w->setup.target->parts_count,
		.unsent = has_unsent ? w->requests[w->batch[w->batch_sent]->parent].number
				     : UINT64_MAX,
	};

	outstanding_look(&w->outstanding, &all, w->setup.io_timeout_ns, w->now_ns);
}

static void collect(struct worker *w, uint32_t at_least)
{
	uint32_t room = w->depth * w->setup.target->parts_count;
	uint32_t back = w->setup.target->engine->reap(w->engine, w->back, at_least, room);

	w->in_flight -= back;
	for (uint32_t i = 0; i < back; i++) {
		struct request *request = &w->requests[w->back[i]->parent];
		if (w->back[i]->completed_ns > w->now_ns)
			w->now_ns = w->back[i]->completed_ns;
		if (!request_part_done(request, w->back[i]))
			continue;
		book(w, request);
		verify(w, request);
		w->idle[w->idle_count++] = request;
	}
	if (w->buckets.overrun && !w->end)
		w->end = WORKER_END_OVERRUN;
	if (w->end)
		w->finished = true;
	if (back || !w->in_flight)
		atomic_store_explicit(&w->outstanding.waiting_since_ns,
				      w->in_flight ? w->now_ns : 0, memory_order_relaxed);
	if (w->now_ns >= w->outstanding.look_ns)
		look(w);
}

void worker_ready(struct worker *w)
{
	buffers_touch(&w->buffers);
	if (w->setup.target->engine->begin)
		w->setup.target->engine->begin(w->engine);
	if (w->setup.phase->verify)
		verify_begin(&w->verify);
	set_keys(w, w->setup.generation);
	if (w->setup.phase->op != PHASE_OP_IDLE)
		gather(w);
}

/* In the worker's thread: it submits no more. */
static void end_engine(struct worker *w)
{
	if (w->setup.target->engine->end)
		w->setup.target->engine->end(w->engine);
}

void worker_cancel(struct worker *w)
{
	drop_batch(w);
	end_engine(w);
}

/* The first one was gathered before the start was known, and went out just now. */
static void begin_pace(struct worker *w)
{
	uint64_t start_ns = clock_map_start(w->map);

	pace_begin(&w->pace, start_ns);
	if (w->batch_count)
		w->requests[w->batch[0]->parent].due_ns += start_ns;
	if (w->setup.target->engine->wait)
		w->setup.target->engine->wait(w->engine, 0);
}

/* Between waking and the submit is only what has to be. */
void worker_start(struct worker *w, const struct clock_map *map)
{
	w->map = map;
	w->end_ns = clock_map_end(map);
	w->now_ns = clock_now_ns();
	if (w->now_ns >= w->end_ns)
		drop_batch(w);
	if (w->batch_count)
		submit(w);
	if (w->pace.is_on)
		begin_pace(w);
	buckets_begin(&w->buckets, map);
	turn(w);
}

static void run(struct worker *w)
{
	for (;;) {
		if (w->in_flight)
			collect(w, 1);
		else if (w->finished && w->batch_sent == w->batch_count)
			break;
		if (w->batch_sent == w->batch_count)
			gather(w);
		if (w->batch_sent < w->batch_count)
			submit(w);
	}
}

/* ---- the same, held to a rate ---- */

/* Who waits looks at least so often whether it is over. */
#define LOOK_NS (50 * NS_PER_MS)

/* For the next request to be due, or for something to come back. */
static void wait_for(struct worker *w, uint64_t due_ns)
{
	uint64_t most = w->now_ns + LOOK_NS, until = due_ns < most ? due_ns : most;

	if (w->end_ns < until)
		until = w->end_ns;
	if (!w->in_flight) {
		clock_sleep_until(until);
		return;
	}
	if (w->setup.target->engine->wait)
		w->setup.target->engine->wait(w->engine, until);
	collect(w, w->setup.target->engine->wait ? 0 : 1);
}

/* Whether the request that was gathered may go out now. Where the phase is over before it is due it
 * never was. */
static bool is_due(struct worker *w)
{
	uint64_t due_ns = w->requests[w->batch[0]->parent].due_ns;

	for (;;) {
		w->now_ns = clock_now_ns();
		w->end_ns = clock_map_end(w->map);
		if (is_over(w)) {
			drop_batch(w);
			return false;
		}
		if (w->now_ns >= due_ns)
			return true;
		wait_for(w, due_ns);
	}
}

/* At once, though the next one is still to be filled. */
static void submit_now(struct worker *w)
{
	submit(w);
	if (w->setup.target->engine->wait)
		w->setup.target->engine->wait(w->engine, 0);
}

static void run_paced(struct worker *w)
{
	for (;;) {
		if (w->batch_sent == w->batch_count)
			gather(w);
		if (w->batch_sent < w->batch_count) {
			if (w->batch_sent || is_due(w))
				submit_now(w);
		} else if (w->in_flight) {
			collect(w, 1);
		} else if (w->finished) {
			break;
		}
	}
}

/* An idle phase is over when its time is. */
static void run_idle(struct worker *w)
{
	while (!is_over(w)) {
		wait_for(w, UINT64_MAX);
		w->now_ns = clock_now_ns();
		w->end_ns = clock_map_end(w->map);
	}
}

void worker_run(struct worker *w)
{
	if (w->setup.phase->op == PHASE_OP_IDLE)
		run_idle(w);
	else if (w->pace.is_on)
		run_paced(w);
	else
		run(w);
	end_engine(w);
}

/* ---- after ---- */

uint64_t worker_passes(const struct worker *w)
{
	return w->offsets.walk == OFFSETS_WALK_RANDOM ? 0 : w->completed / w->offsets.count;
}

uint64_t worker_written_blocks(const struct worker *w)
{
	return w->submitted < w->intact ? w->submitted : w->intact;
}
