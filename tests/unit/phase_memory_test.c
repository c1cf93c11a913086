/* What is said of a phase's memory before it: it is what is held, and a day holds no more than a
 * minute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "agent/buckets.h"
#include "agent/outbox.h"
#include "common/clock.h"
#include "proto/codec.h"
#include "proto/phase_memory.h"

#define DAY_S 86400

static struct phase phase = {
	.name = "p", .block_size = 65536, .workers = 3, .queue_depth = 8, .runtime = DAY_S};

static void it_is_of_workers_depth_and_blocks_and_not_of_length(void **state)
{
	(void)state;
	const struct phase_memory_target plain = {.parts = 1, .alignment = 4096};
	struct phase_memory one = {0}, two = {0}, odd = {0};

	phase_memory_add(&one, &phase, 100 * NS_PER_MS, &plain);
	assert_int_equal(one.buffers, 3 * 8 * 65536);
	struct phase longer = phase;
	longer.runtime *= 1000;
	longer.queue_depth *= 2;
	phase_memory_add(&two, &longer, 100 * NS_PER_MS, &plain);
	assert_int_equal(two.buffers, 2 * one.buffers);
	assert_int_equal(two.waiting, one.waiting);
	longer = phase;
	longer.block_size = 65536 + 512;
	phase_memory_add(&odd, &longer, 100 * NS_PER_MS, &plain);
	assert_int_equal(odd.buffers, 3 * 8 * (65536 + 4096));
	phase_memory_add_layout(&odd, 7);
	assert_int_equal(odd.layout, 7 << 20);
	assert_int_equal(phase_memory_total(&odd),
			 odd.buffers + odd.workers + odd.layout + odd.waiting);
}

static void a_stripe_counts_its_parts(void **state)
{
	(void)state;
	const struct phase_memory_target stripe = {
		.parts = 4, .stripe_unit = 4096, .alignment = 4096};

	assert_int_equal(phase_memory_vectors(&phase, &stripe), (16 + 2 + 3) / 4);
	struct phase_memory memory = {0};
	phase_memory_add(&memory, &phase, NS_PER_MS, &stripe);
	assert_true(memory.workers > 3 * 8 * 4 * 5 * 16);
}

/* ---- a day, fast forward ---- */

struct day {
	struct clock_map map;
	struct buckets *buckets;
	struct outbox outbox;
	uint64_t most_bytes, booked, taken;
};

/* As the session does each 100 ms; the controller acknowledges as late as it may. */
static void harvest(struct day *day)
{
	struct timeline batch = {.sequence = day->outbox.sequence + 1};
	struct envelope envelope = {.kind = MESSAGE_TIMELINE, .phase = 1, .attempt = 1};
	struct bytes frame = {0};

	buckets_collect(day->buckets, 0, &batch, 0);
	for (uint32_t i = 0; i < batch.buckets_count; i++)
		day->taken += batch.buckets[i].operations;
	if (batch.buckets_count) {
		codec_pack(&envelope, &batch, &frame);
		outbox_add(&day->outbox, &frame);
	}
	record_release(&timeline_table, &batch);
	uint64_t late = PHASE_MEMORY_WAIT / PHASE_MEMORY_HARVEST;
	if (day->outbox.sequence > late)
		outbox_acknowledge(&day->outbox, day->outbox.sequence - late);
	uint64_t items = day->outbox.sequence < late ? day->outbox.sequence : late;
	uint64_t held = day->outbox.bytes + items * sizeof(struct outbox_item);
	day->most_bytes = held > day->most_bytes ? held : day->most_bytes;
}

static void book(struct day *day, uint64_t at_ns)
{
	const struct completion c = {.kind = IO_READ,
				     .bytes = UINT64_C(1) << 40, /* of nine bytes when packed */
				     .completed_ns = at_ns,
				     .latency_ns = UINT64_C(1) << 40};

	buckets_add(day->buckets, &c);
	day->booked++;
}

static void fast_forward(uint64_t width_ns, uint64_t length_ns)
{
	const struct phase_memory_target plain = {.parts = 1, .alignment = 4096};
	struct phase_memory said = {0};
	struct day day = {0};
	struct phase one = phase;
	uint64_t start = 5 * NS_PER_S, harvested = start;

	one.workers = 1;
	phase_memory_add(&said, &one, width_ns, &plain);
	clock_map_init(&day.map, width_ns);
	assert_true(clock_map_begin(&day.map, &(struct start){.at_ns = start}));
	assert_int_equal(posix_memalign((void **)&day.buckets, CACHE_LINE, sizeof(*day.buckets)),
			 0);
	assert_true(buckets_init(day.buckets, width_ns, one.queue_depth));
	outbox_init(&day.outbox);
	buckets_begin(day.buckets, &day.map);
	for (uint64_t at = start; at < start + length_ns; at += width_ns / 2) {
		book(&day, at);
		if (at - harvested < PHASE_MEMORY_HARVEST)
			continue;
		harvested = at;
		harvest(&day);
	}
	assert_false(day.buckets->overrun);
	harvest(&day);
	assert_int_equal(day.taken, day.booked);
	if (day.most_bytes > said.waiting)
		fail_msg("%llu bytes wait, %llu were said", (unsigned long long)day.most_bytes,
			 (unsigned long long)said.waiting);
	assert_true(day.most_bytes > said.waiting / 8); /* and not from thin air */
	assert_true((uint64_t)day.buckets->capacity * sizeof(struct bucket_slot) +
			    PHASE_MEMORY_WORKER <
		    said.workers);
	outbox_release(&day.outbox);
	buckets_release(day.buckets);
	free(day.buckets);
	clock_map_release(&day.map);
}

static void a_day_of_100_ms_buckets_holds_what_was_said(void **state)
{
	(void)state;
	fast_forward(100 * NS_PER_MS, DAY_S * NS_PER_S);
}

static void ten_minutes_of_1_ms_buckets_do_too(void **state)
{
	(void)state;
	fast_forward(NS_PER_MS, 600 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_of_workers_depth_and_blocks_and_not_of_length),
		cmocka_unit_test(a_stripe_counts_its_parts),
		cmocka_unit_test(a_day_of_100_ms_buckets_holds_what_was_said),
		cmocka_unit_test(ten_minutes_of_1_ms_buckets_do_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
