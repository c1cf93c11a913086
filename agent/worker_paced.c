/* worker_paced.c - the loop of a worker that is held to a rate, or to doing nothing: it waits for
 * instants, too. */
#include "agent/worker_inside.h"

#include "common/clock.h"

/* The first one was gathered before the start was known, and went out just now. */
void worker_begin_pace(struct worker *w)
{
	uint64_t start_ns = clock_map_start(w->map);

	pace_begin(&w->pace, start_ns);
	if (w->batch_count)
		w->batch[0]->request->due_ns += start_ns;
	if (w->ops->wait)
		w->ops->wait(w->engine, 0);
}

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
	if (w->ops->wait)
		w->ops->wait(w->engine, until);
	worker_collect(w, w->ops->wait ? 0 : 1);
}

/* Whether the request that was gathered may go out now. Where the phase is over before it is due it
 * never was. */
static bool is_due(struct worker *w)
{
	uint64_t due_ns = w->batch[0]->request->due_ns;

	for (;;) {
		w->now_ns = clock_now_ns();
		w->end_ns = clock_map_end(w->map);
		if (worker_is_over(w)) {
			worker_drop_batch(w);
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
	worker_submit(w);
	if (w->ops->wait)
		w->ops->wait(w->engine, 0);
}

void worker_run_paced(struct worker *w)
{
	for (;;) {
		if (w->batch_sent == w->batch_count)
			worker_gather(w);
		if (w->batch_sent < w->batch_count) {
			if (w->batch_sent || is_due(w))
				submit_now(w);
		} else if (w->in_flight) {
			worker_collect(w, 1);
		} else if (w->finished) {
			break;
		}
	}
}

/* An idle phase is over when its time is. */
void worker_run_idle(struct worker *w)
{
	while (!worker_is_over(w)) {
		wait_for(w, UINT64_MAX);
		w->now_ns = clock_now_ns();
		w->end_ns = clock_map_end(w->map);
	}
}
