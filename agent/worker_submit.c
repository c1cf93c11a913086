/* worker_submit.c - requests on their way out: chosen, filled with data, lent to the engine. */
#include "agent/worker_inside.h"

#include "common/clock.h"
#include "common/pattern.h"

void worker_set_keys(struct worker *w, uint64_t generation)
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
__attribute__((noinline)) static void fill(struct worker *w, const struct request *request)
{
	if (request->place.generation != w->key_generation)
		worker_set_keys(w, request->place.generation);
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

/* The engine has not seen the batch: its requests are as if they had never been. */
void worker_drop_batch(struct worker *w)
{
	for (uint32_t i = 0; i < w->batch_count; i++) {
		struct request *request = w->batch[i]->request;
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
	return w->offsets.next == 0 && w->drains && (w->in_flight || w->batch_count);
}

/* With a rate the next request is made ready while it is not due, and goes out by itself. */
static uint32_t idle_to_leave(const struct worker *w)
{
	return w->pace.is_on && w->idle_count ? w->idle_count - 1 : 0;
}

/* Whether there is another one. */
static bool add(struct worker *w)
{
	struct request *request = w->idle[w->idle_count - 1];

	if (!offsets_next(&w->offsets, &request->place)) {
		w->finished = true;
		return false;
	}
	w->idle_count--;
	request->number = w->submitted++;
	if (w->pace.is_on)
		request->due_ns = pace_take(&w->pace, request->place.length);
	w->batch_count += request_aim(request, w->setup.target, w->batch + w->batch_count);
	if (request->place.kind == IO_WRITE) {
		fill(w, request);
		w->until_sync--;
	}
	return true;
}

/* Filling takes long enough to look at the clock again after: there is no submit past the end. */
void worker_gather(struct worker *w)
{
	uint64_t until_sync = w->until_sync;
	uint32_t leave = idle_to_leave(w);

	w->batch_count = w->batch_sent = 0;
	if (worker_is_over(w)) {
		w->finished = true;
		return;
	}
	if (!w->until_sync && !w->in_flight) {
		worker_sync(w);
		return;
	}
	while (w->idle_count > leave && w->until_sync && !has_to_drain(w) && !worker_is_stopped(w))
		if (!add(w))
			break;
	bool has_filled = w->until_sync != until_sync;
	if (has_filled && (w->now_ns = clock_now_ns()) >= w->end_ns)
		worker_drop_batch(w);
}

void worker_submit(struct worker *w)
{
	if (!w->in_flight)
		atomic_store_explicit(&w->outstanding.waiting_since_ns, w->now_ns,
				      memory_order_relaxed);
	const struct request *first = w->batch[w->batch_sent]->request;
	atomic_store_explicit(&w->outstanding.offset, first->place.offset, memory_order_relaxed);
	uint32_t taken =
		w->ops->submit(w->engine, w->batch + w->batch_sent, w->batch_count - w->batch_sent);
	w->batch_sent += taken;
	w->in_flight += taken;
}
