/* worker_collect.c - requests on their way back: booked, verified, free for the next. */
#include "agent/worker_inside.h"

#include <errno.h>

#include "common/clock.h"

/* `surely`: requests that the error has not to do with. */
void worker_note_error(struct worker *w, const struct worker_error *error, uint64_t surely)
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
		w->finished = true;
		w->error.number = error->number;
		w->error.part = error->part;
		atomic_store_explicit(w->setup.stop, true, memory_order_relaxed);
	} else if (++w->errors_in_a_row >= WORKER_ERRORS_IN_A_ROW && !w->end) {
		w->end = WORKER_END_GAVE_UP;
		w->finished = true;
	}
}

/* Each time that another bucket is turned to: is it of the ramp, has the end moved, does anybody
 * collect? */
void worker_turn(struct worker *w)
{
	bool is_ramp = w->buckets.newest->bucket < w->setup.ramp_buckets;

	w->tally = is_ramp ? &w->ramp : &w->after;
	w->end_ns = clock_map_end(w->map);
	if (!w->buckets.overrun)
		return;
	if (!w->end)
		w->end = WORKER_END_OVERRUN;
	w->finished = true;
}

static void add(struct tally *tally, const struct completion *c)
{
	if (c->kind == IO_READ)
		tally->bytes_read += c->bytes;
	else
		tally->bytes_written += c->bytes;
	tally->operations++;
}

static inline struct completion completion_of(const struct request *request)
{
	return (struct completion){
		.kind = request->place.kind,
		.bytes = request->moved_bytes,
		.completed_ns = request->completed_ns,
		.latency_ns = worker_since(request->submitted_ns, request->completed_ns),
	};
}

__attribute__((noinline)) static void count_more(struct worker *w, const struct request *request)
{
	const struct completion c = completion_of(request);

	if (w->response)
		histogram_add(w->response, worker_since(request->due_ns, request->completed_ns));
	if (w->offsets.sizes_count)
		add(&w->sizes[request->place.size], &c);
}

/* Of one that moved bytes. */
static inline void count(struct worker *w, const struct request *request,
			 const struct completion *c)
{
	add(w->tally, c);
	if (w->tally != &w->after)
		return;
	histogram_add(&w->latency, c->latency_ns);
	if (w->counts_more)
		count_more(w, request);
}

static inline void book_times(struct worker *w, const struct request *request)
{
	if (request->number == 0)
		w->first_submit_ns = request->submitted_ns;
	if (request->completed_ns > w->last_completion_ns)
		w->last_completion_ns = request->completed_ns;
}

/* Nothing or not all was moved. */
__attribute__((noinline)) static void book_failed(struct worker *w, const struct request *request)
{
	struct completion c = completion_of(request);
	const struct worker_error error = {
		.kind = request->place.kind,
		.number = request->error,
		.part = request->error_part,
		.offset = request->place.offset,
		.length = request->place.length,
		.moved_bytes = request->moved_bytes,
		.completed_ns = request->completed_ns,
	};

	c.failed = true;
	book_times(w, request);
	worker_note_error(w, &error, request->number);
	if (buckets_add(&w->buckets, &c))
		worker_turn(w);
	w->tally->errors++;
	if (c.bytes)
		count(w, request, &c);
}

/* All was moved. */
static inline void book(struct worker *w, const struct request *request)
{
	const struct completion c = completion_of(request);

	book_times(w, request);
	w->errors_in_a_row = 0;
	w->completed++;
	if (buckets_add(&w->buckets, &c))
		worker_turn(w);
	count(w, request, &c);
}

/* Before its buffer is used again; takes long enough to look at the clock after. */
static void verify(struct worker *w, const struct request *request)
{
	verify_block(&w->verify, request);
	w->now_ns = clock_now_ns();
}

static inline void take_back(struct worker *w, struct request *request)
{
	if (request->moved_bytes < request->place.length || request->error) {
		book_failed(w, request);
	} else {
		book(w, request);
		if (w->verifies && request->place.kind == IO_READ)
			verify(w, request);
	}
	w->idle[w->idle_count++] = request;
}

/* Once a second: is one of them old while others come back? */
static void look(struct worker *w)
{
	bool has_unsent = w->batch_sent < w->batch_count;
	const struct outstanding_requests all = {
		.requests = w->requests,
		.count = w->depth,
		.parts = w->setup.target->parts_count,
		.unsent = has_unsent ? w->batch[w->batch_sent]->request->number : UINT64_MAX,
	};

	outstanding_look(&w->outstanding, &all, w->setup.io_timeout_ns, w->now_ns);
}

void worker_collect(struct worker *w, uint32_t at_least)
{
	uint32_t back = w->ops->reap(w->engine, w->back, at_least, w->ios_count);

	w->in_flight -= back;
	for (uint32_t i = 0; i < back; i++) {
		const struct io *io = w->back[i];
		struct request *request = io->request;
		if (io->completed_ns > w->now_ns)
			w->now_ns = io->completed_ns;
		if (w->is_one)
			request_one_done(request, io);
		else if (!request_part_done(request, io))
			continue;
		take_back(w, request);
	}
	if (back || !w->in_flight)
		atomic_store_explicit(&w->outstanding.waiting_since_ns,
				      w->in_flight ? w->now_ns : 0, memory_order_relaxed);
	if (w->now_ns >= w->outstanding.look_ns)
		look(w);
}
