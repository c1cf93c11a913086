/* worker_sync.c - a sync after so many writes (sync_every), while nothing else is in flight. */
#include "agent/worker_inside.h"

#include <errno.h>

#include "common/clock.h"

void worker_expect_sync(struct worker *w)
{
	w->until_sync = w->setup.phase->sync_every ? w->setup.phase->sync_every : UINT64_MAX;
}

/* What was written since the last one that succeeded may be lost. */
static void book_sync_error(struct worker *w, uint32_t part, int number)
{
	const struct completion c = {.kind = IO_SYNC, .failed = true, .completed_ns = w->now_ns};
	const struct worker_error error = {
		.kind = IO_SYNC, .number = number, .part = part, .completed_ns = w->now_ns};

	worker_note_error(w, &error, w->synced);
	if (buckets_add(&w->buckets, &c))
		worker_turn(w);
	w->tally->errors++;
}

/* All writes are back. The time is that of all parts of a stripe. */
void worker_sync(struct worker *w)
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
	worker_expect_sync(w);
	if (failed) {
		book_sync_error(w, part, failed);
		return;
	}
	w->synced = w->submitted;
	if (w->tally == &w->after)
		histogram_add(w->syncs, worker_since(start, w->now_ns));
}
