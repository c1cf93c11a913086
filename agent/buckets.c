#include "agent/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/memory.h"
#include "proto/phase_memory.h"

size_t buckets_memory(uint64_t width_ns, uint32_t reserve)
{
	return ((size_t)phase_memory_slots(width_ns) + reserve + 1) * sizeof(struct bucket_slot);
}

bool buckets_init(struct buckets *b, uint64_t width_ns, uint32_t reserve)
{
	size_t size = buckets_memory(width_ns, reserve);

	memset(b, 0, sizeof(*b));
	b->width_ns = width_ns;
	b->limit = phase_memory_slots(width_ns);
	b->capacity = b->limit + reserve + 1;
	b->slots = platform_buffer(CACHE_LINE, size);
	if (!b->slots)
		return false;
	memset(b->slots, 0, size); /* also has the pages there before the start */
	return true;
}

void buckets_release(struct buckets *b)
{
	free(b->slots);
	b->slots = NULL;
}

/* What the reader still sees of the slot was collected: `collected` says so. */
static void open_slot(struct buckets *b, uint64_t opened, uint32_t bucket)
{
	struct bucket_slot *slot = &b->slots[opened % b->capacity];

	slot->bucket = bucket;
	atomic_store_explicit(&slot->bytes_read, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->bytes_written, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->operations, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->errors, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->worst_ns, 0, memory_order_relaxed);
	b->newest = slot;
	atomic_store_explicit(&b->opened, opened + 1, memory_order_release);
}

static void lie_at(struct buckets *b, const struct clock_bucket *where)
{
	b->from_ns = where->from_ns;
	b->length_ns = where->length_ns;
}

void buckets_begin(struct buckets *b, const struct clock_map *map)
{
	struct clock_bucket first = clock_map_find(map, clock_map_start(map));

	b->map = map;
	lie_at(b, &first);
	open_slot(b, 0, first.bucket);
}

/* The same bucket again is one whose end an amendment has moved, or a time before the start. */
void buckets_turn(struct buckets *b, uint64_t completed_ns)
{
	struct clock_bucket where = clock_map_find(b->map, completed_ns);
	uint64_t opened = atomic_load_explicit(&b->opened, memory_order_relaxed);

	if (where.bucket == b->newest->bucket) {
		lie_at(b, &where);
		return;
	}
	uint64_t waiting = opened - atomic_load_explicit(&b->collected, memory_order_acquire);

	if (waiting >= b->limit)
		b->overrun = true;
	if (waiting >= b->capacity)
		return; /* not within `reserve`: sums stay exact, the bucket does not */
	lie_at(b, &where);
	open_slot(b, opened, where.bucket);
}

static void read_slot(const struct bucket_slot *slot, uint32_t target, struct timeline_bucket *now)
{
	*now = (struct timeline_bucket){
		.target = target,
		.bucket = slot->bucket,
		.bytes_read = atomic_load_explicit(&slot->bytes_read, memory_order_relaxed),
		.bytes_written = atomic_load_explicit(&slot->bytes_written, memory_order_relaxed),
		.operations = atomic_load_explicit(&slot->operations, memory_order_relaxed),
		.errors = atomic_load_explicit(&slot->errors, memory_order_relaxed),
		.worst_ns = atomic_load_explicit(&slot->worst_ns, memory_order_relaxed),
	};
}

static bool is_nothing(const struct timeline_bucket *delta)
{
	return !delta->bytes_read && !delta->bytes_written && !delta->operations && !delta->errors;
}

static void subtract(struct timeline_bucket *delta, const struct timeline_bucket *seen)
{
	delta->bytes_read -= seen->bytes_read;
	delta->bytes_written -= seen->bytes_written;
	delta->operations -= seen->operations;
	delta->errors -= seen->errors;
}

/* `at` walks along with the buckets, which come in ascending order but for late ones; what is not
 * found gets an entry of its own, which is as good. */
static void append(struct timeline *into, uint32_t *at, const struct timeline_bucket *delta)
{
	while (*at < into->buckets_count && into->buckets[*at].bucket < delta->bucket)
		++*at;
	if (*at < into->buckets_count && into->buckets[*at].bucket == delta->bucket) {
		struct timeline_bucket *sum = &into->buckets[*at];
		sum->bytes_read += delta->bytes_read;
		sum->bytes_written += delta->bytes_written;
		sum->operations += delta->operations;
		sum->errors += delta->errors;
		if (delta->worst_ns > sum->worst_ns)
			sum->worst_ns = delta->worst_ns;
		return;
	}
	into->buckets[into->buckets_count++] = *delta; /* the caller has made room */
}

void buckets_collect(struct buckets *b, uint32_t target, struct timeline *into, uint32_t from)
{
	uint64_t opened = atomic_load_explicit(&b->opened, memory_order_acquire);
	uint64_t slot = atomic_load_explicit(&b->collected, memory_order_relaxed);

	if (slot < opened)
		into->buckets = mem_resize(into->buckets, into->buckets_count + (opened - slot),
					   sizeof(*into->buckets));
	for (; slot < opened; slot++) {
		struct timeline_bucket now, delta;
		read_slot(&b->slots[slot % b->capacity], target, &now);
		delta = now;
		subtract(&delta, &b->seen);
		if (!is_nothing(&delta))
			append(into, &from, &delta);
		if (slot + 1 == opened)
			b->seen = now;
		else
			b->seen = (struct timeline_bucket){0};
		if (slot + 1 == opened)
			break;
	}
	atomic_store_explicit(&b->collected, slot, memory_order_release);
}
