/* buckets.h - a worker's timeline on its way to the session thread.
 *
 * A queue of buckets, one writer (the worker) and one reader (the session thread), without locks:
 * the worker adds each completion to the bucket of its completion time (clock_map.h) in the newest
 * slot, and opens another slot when that time lies in another bucket. The reader takes
 * *increments*: closed slots once, the open one as far as it has come. So late bookings are further
 * increments, and what was taken adds up to what was added exactly, once the worker is joined.
 *
 * At least 1024 slots, or 60 s of buckets when that is more; when nobody collects for so long the
 * worker is told to stop, and `reserve` further slots take what it has in flight: nothing is
 * lost or booked elsewhere. */
#ifndef MUSTER_AGENT_BUCKETS_H
#define MUSTER_AGENT_BUCKETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/clock_map.h"
#include "agent/engine/engine.h"
#include "proto/messages.h"

/* Single-writer data that another thread reads stands on cache lines of its own. */
#define CACHE_LINE 64

/* One completed operation, for the counts. */
struct completion {
	enum io_kind kind;
	bool failed; /* nothing or not all was moved */
	uint64_t bytes;
	uint64_t completed_ns;
	uint64_t latency_ns;
};

struct bucket_slot {
	uint32_t bucket;
	_Atomic uint64_t bytes_read, bytes_written, operations, errors, worst_ns;
};

struct buckets {
	/* the worker's */
	const struct clock_map *map;
	uint64_t width_ns;           /* of a bucket on the controller's clock */
	uint64_t from_ns, length_ns; /* of the newest slot's bucket, on ours */
	struct bucket_slot *newest, *slots;
	uint32_t limit, capacity;
	bool overrun; /* nobody collects: stop */
	/* one writes, the other reads */
	_Alignas(CACHE_LINE) _Atomic uint64_t opened;    /* slots so far; the worker's */
	_Alignas(CACHE_LINE) _Atomic uint64_t collected; /* slots done with; the reader's */
	struct timeline_bucket seen; /* of slot `collected`, as far as taken; the reader's */
};

/* `reserve`: most completions after `overrun`. False when there is no memory. */
bool buckets_init(struct buckets *buckets, uint64_t width_ns, uint32_t reserve);
void buckets_release(struct buckets *buckets);

/* Bytes that buckets_init asks for. */
size_t buckets_memory(uint64_t width_ns, uint32_t reserve);

/* Buckets lie where `map` says, which is lent; its start is taken. */
void buckets_begin(struct buckets *buckets, const struct clock_map *map);

/* Makes the newest slot one of the bucket that `completed_ns` lies in. */
void buckets_turn(struct buckets *buckets, uint64_t completed_ns);

/* Counters of one writer need no atomic addition. */
static inline void bucket_count(_Atomic uint64_t *counter, uint64_t more)
{
	uint64_t was = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, was + more, memory_order_relaxed);
}

static inline void bucket_slot_add(struct bucket_slot *slot, const struct completion *c)
{
	if (c->failed)
		bucket_count(&slot->errors, 1);
	if (!c->bytes)
		return;
	bucket_count(c->kind == IO_READ ? &slot->bytes_read : &slot->bytes_written, c->bytes);
	bucket_count(&slot->operations, 1);
	if (c->latency_ns > atomic_load_explicit(&slot->worst_ns, memory_order_relaxed))
		atomic_store_explicit(&slot->worst_ns, c->latency_ns, memory_order_relaxed);
}

/* Inline: it runs for each operation. The test is true also for a time before the bucket. Answers
 * whether another bucket was turned to. */
static inline bool buckets_add(struct buckets *b, const struct completion *c)
{
	bool turned = c->completed_ns - b->from_ns >= b->length_ns;

	if (turned)
		buckets_turn(b, c->completed_ns);
	bucket_slot_add(b->newest, c);
	return turned;
}

/* Appends the increments since the last call to the timeline, as those of target `target`; added
 * to the entries from `from` on where the bucket is there already. */
void buckets_collect(struct buckets *buckets, uint32_t target, struct timeline *into,
		     uint32_t from);

#endif
