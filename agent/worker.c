#include "agent/worker_inside.h"

#include "common/clock.h"

void worker_ready(struct worker *w)
{
	buffers_touch(&w->buffers);
	if (w->ops->begin)
		w->ops->begin(w->engine);
	if (w->setup.phase->verify)
		verify_begin(&w->verify);
	worker_set_keys(w, w->setup.generation);
	if (w->setup.phase->op != PHASE_OP_IDLE)
		worker_gather(w);
}

/* In the worker's thread: it submits no more. */
static void end_engine(struct worker *w)
{
	if (w->ops->end)
		w->ops->end(w->engine);
}

void worker_cancel(struct worker *w)
{
	worker_drop_batch(w);
	end_engine(w);
}

/* Between waking and the submit is only what has to be. */
void worker_start(struct worker *w, const struct clock_map *map)
{
	w->map = map;
	w->end_ns = clock_map_end(map);
	w->now_ns = clock_now_ns();
	if (w->now_ns >= w->end_ns)
		worker_drop_batch(w);
	if (w->batch_count)
		worker_submit(w);
	if (w->pace.is_on)
		worker_begin_pace(w);
	buckets_begin(&w->buckets, map);
	worker_turn(w);
}

static void run(struct worker *w)
{
	for (;;) {
		if (w->in_flight)
			worker_collect(w, 1);
		else if (w->finished && w->batch_sent == w->batch_count)
			break;
		if (w->batch_sent == w->batch_count)
			worker_gather(w);
		if (w->batch_sent < w->batch_count)
			worker_submit(w);
	}
}

void worker_run(struct worker *w)
{
	if (w->setup.phase->op == PHASE_OP_IDLE)
		worker_run_idle(w);
	else if (w->pace.is_on)
		worker_run_paced(w);
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
