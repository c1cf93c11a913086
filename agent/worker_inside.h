/* worker_inside.h - what the files of a worker share; for them alone.
 *
 * worker_memory.c makes and frees it, worker.c is its life and its loop, worker_paced.c the loop of
 * one that is held to a rate. They call worker_submit.c (out), worker_collect.c (back) and
 * worker_sync.c (a sync between writes). All of it runs in the worker's thread but for making and
 * freeing. */
#ifndef MUSTER_AGENT_WORKER_INSIDE_H
#define MUSTER_AGENT_WORKER_INSIDE_H

#include "agent/worker.h"

static inline bool worker_is_stopped(const struct worker *w)
{
	return atomic_load_explicit(w->setup.stop, memory_order_relaxed);
}

/* Submits no more. */
static inline bool worker_is_over(const struct worker *w)
{
	return w->finished || w->now_ns >= w->end_ns || worker_is_stopped(w);
}

/* A clock that has jumped back makes no I/O shorter than nothing. */
static inline uint64_t worker_since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns >= from_ns ? to_ns - from_ns : 0;
}

/* worker_submit.c: the keys of the data of a generation. */
void worker_set_keys(struct worker *worker, uint64_t generation);
/* The batch: a request for each idle slot, not submitted yet. At the end of all `finished`. */
void worker_gather(struct worker *worker);
/* Lends of the batch what the engine takes. */
void worker_submit(struct worker *worker);
/* What the engine has not seen is as if it had never been; there is no more. */
void worker_drop_batch(struct worker *worker);

/* worker_collect.c: takes back at least so many I/Os, books and verifies the requests that are
 * complete. */
void worker_collect(struct worker *worker, uint32_t at_least);
/* One operation failed; `surely`: requests before it that the error has not to do with. */
void worker_note_error(struct worker *worker, const struct worker_error *error, uint64_t surely);
/* Each time that another bucket is turned to. */
void worker_turn(struct worker *worker);

/* worker_sync.c: with nothing in flight. */
void worker_sync(struct worker *worker);
/* The next one is due after so many writes. */
void worker_expect_sync(struct worker *worker);

/* worker_paced.c: the start is known, and the first request went out just now. */
void worker_begin_pace(struct worker *worker);
void worker_run_paced(struct worker *worker);
void worker_run_idle(struct worker *worker);

#endif
