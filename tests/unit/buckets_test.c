/* The timeline between two threads: increments add up to what was added, exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "agent/buckets.h"
#include "common/random.h"

#define WIDTH 1000000

static struct clock_map map;

static void set_map(uint64_t width_ns, uint64_t at_ns)
{
	clock_map_release(&map);
	clock_map_init(&map, width_ns);
	assert_true(clock_map_begin(&map, &(struct start){.at_ns = at_ns}));
}

static struct buckets *new_buckets(uint64_t width_ns, uint32_t reserve)
{
	struct buckets *b = NULL;

	assert_int_equal(posix_memalign((void **)&b, CACHE_LINE, sizeof(*b)), 0);
	assert_true(buckets_init(b, width_ns, reserve));
	return b;
}

static void free_buckets(struct buckets *b)
{
	buckets_release(b);
	free(b);
}

static void add(struct buckets *b, uint64_t at_ns, uint64_t bytes, enum io_kind kind, bool failed,
		uint64_t latency_ns)
{
	struct completion c = {.kind = kind,
			       .failed = failed,
			       .bytes = bytes,
			       .completed_ns = at_ns,
			       .latency_ns = latency_ns};

	buckets_add(b, &c);
}

static void add_all(struct timeline_bucket *sum, const struct timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->buckets_count; i++) {
		sum->bytes_read += timeline->buckets[i].bytes_read;
		sum->bytes_written += timeline->buckets[i].bytes_written;
		sum->operations += timeline->buckets[i].operations;
		sum->errors += timeline->buckets[i].errors;
	}
}

static struct timeline_bucket sum_of(const struct timeline *timeline)
{
	struct timeline_bucket sum = {0};

	add_all(&sum, timeline);
	return sum;
}

static void each_completion_is_in_the_bucket_of_its_time(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	struct timeline timeline = {0};
	set_map(WIDTH, 5000);
	buckets_begin(b, &map);
	add(b, 5000, 10, IO_READ, false, 7);
	add(b, 5000 + WIDTH - 1, 20, IO_WRITE, false, 9);
	add(b, 5000 + WIDTH, 30, IO_READ, false, 3);
	add(b, 5000 + 9 * WIDTH + 1, 0, IO_READ, true, 3);
	add(b, 5000 + 9 * WIDTH + 2, 5, IO_READ, true, 4);
	buckets_collect(b, 3, &timeline, 0);
	static const struct timeline_bucket want[] = {
		{3, 0, 10, 20, 2, 0, 9}, {3, 1, 30, 0, 1, 0, 3}, {3, 9, 5, 0, 1, 2, 4}};
	assert_int_equal(timeline.buckets_count, 3);
	for (int i = 0; i < 3; i++)
		assert_memory_equal(&timeline.buckets[i], &want[i], sizeof(want[i]));
	free(timeline.buckets);
	free_buckets(b);
}

static void what_was_collected_is_not_collected_again(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	struct timeline first = {0}, second = {0}, third = {0};
	set_map(WIDTH, 0);
	buckets_begin(b, &map);
	add(b, 1, 10, IO_READ, false, 7);
	buckets_collect(b, 0, &first, 0);
	buckets_collect(b, 0, &second, 0);
	add(b, 2, 10, IO_READ, false, 5);
	add(b, WIDTH, 10, IO_READ, false, 5);
	buckets_collect(b, 0, &third, 0);
	assert_int_equal(first.buckets_count, 1);
	assert_int_equal(second.buckets_count, 0);
	assert_int_equal(third.buckets_count, 2);
	assert_int_equal(third.buckets[0].bytes_read, 10);
	assert_int_equal(third.buckets[0].bucket, 0);
	assert_int_equal(third.buckets[0].worst_ns, 7);
	free(first.buckets);
	free(second.buckets);
	free(third.buckets);
	free_buckets(b);
}

static void a_late_booking_goes_to_its_own_bucket(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	struct timeline timeline = {0};
	set_map(WIDTH, 0);
	buckets_begin(b, &map);
	add(b, 5 * WIDTH, 1, IO_READ, false, 1);
	buckets_collect(b, 0, &timeline, 0);
	add(b, 2 * WIDTH, 2, IO_READ, false, 1); /* late */
	add(b, 5 * WIDTH + 1, 4, IO_READ, false, 1);
	buckets_collect(b, 0, &timeline, timeline.buckets_count);
	uint64_t in_bucket[6] = {0};
	for (uint32_t i = 0; i < timeline.buckets_count; i++)
		in_bucket[timeline.buckets[i].bucket] += timeline.buckets[i].bytes_read;
	assert_int_equal(in_bucket[2], 2);
	assert_int_equal(in_bucket[5], 5);
	free(timeline.buckets);
	free_buckets(b);
}

static void workers_of_one_target_share_entries(void **state)
{
	(void)state;
	struct buckets *a = new_buckets(WIDTH, 1), *b = new_buckets(WIDTH, 1);
	struct timeline timeline = {0};
	set_map(WIDTH, 0);
	buckets_begin(a, &map);
	buckets_begin(b, &map);
	for (int k = 0; k < 10; k++) {
		add(a, k * WIDTH, 1, IO_READ, false, 1);
		add(b, k * WIDTH, 2, IO_READ, false, 9);
	}
	buckets_collect(a, 0, &timeline, 0);
	buckets_collect(b, 0, &timeline, 0);
	assert_int_equal(timeline.buckets_count, 10);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(timeline.buckets[i].bytes_read, 3);
		assert_int_equal(timeline.buckets[i].worst_ns, 9);
	}
	free(timeline.buckets);
	free_buckets(a);
	free_buckets(b);
}

/* Nobody collects: the worker is told, and what it has in flight is not lost. */
static void an_overrun_is_told_and_loses_nothing(void **state)
{
	(void)state;
	enum { RESERVE = 8 };
	struct buckets *b = new_buckets(100 * WIDTH, RESERVE);
	struct timeline timeline = {0};
	uint64_t k = 0;
	set_map(100 * WIDTH, 0);
	buckets_begin(b, &map);
	for (; !b->overrun; k++)
		add(b, k * 100 * WIDTH, 1, IO_READ, false, 1);
	assert_int_equal(k, b->limit + 1);
	for (int i = 0; i < RESERVE - 1; i++, k++)
		add(b, k * 100 * WIDTH, 1, IO_READ, false, 1);
	buckets_collect(b, 0, &timeline, 0);
	assert_int_equal(sum_of(&timeline).operations, k);
	for (uint32_t i = 0; i < timeline.buckets_count; i++)
		assert_int_equal(timeline.buckets[i].operations, 1);
	free(timeline.buckets);
	free_buckets(b);
}

static void short_buckets_have_room_for_a_minute(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	assert_true(b->limit * b->width_ns >= UINT64_C(60000000000));
	assert_true(buckets_memory(WIDTH, 1) >= b->limit * sizeof(struct bucket_slot));
	free_buckets(b);
}

#define OPERATIONS 400000
static void *load(void *context)
{
	struct buckets *b = context;
	struct random random = {.state = 1};
	uint64_t at = 0;

	for (int i = 0; i < OPERATIONS; i++) {
		at += random_below(&random, WIDTH / 8);
		add(b, at - random_below(&random, at / 2 < WIDTH ? at + 1 : WIDTH), 3,
		    i & 1 ? IO_READ : IO_WRITE, i % 10 == 0, 1);
		if (b->overrun)
			return (void *)(intptr_t)(i + 1);
	}
	return (void *)(intptr_t)OPERATIONS;
}

static void a_reader_beside_the_writer_misses_nothing(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	struct timeline_bucket sum = {0};
	pthread_t thread;
	void *added = NULL;
	set_map(WIDTH, 0);
	buckets_begin(b, &map);
	assert_int_equal(pthread_create(&thread, NULL, load, b), 0);
	/* a reader of its own pace: as often as it can while the writer is at work */
	for (int i = 0; i <= 2000; i++) {
		struct timeline timeline = {0};
		if (i == 2000)
			pthread_join(thread, &added);
		buckets_collect(b, 0, &timeline, 0);
		add_all(&sum, &timeline);
		free(timeline.buckets);
	}
	uint64_t operations = (uint64_t)(intptr_t)added;
	assert_int_equal(sum.operations, operations);
	assert_int_equal(sum.bytes_read + sum.bytes_written, 3 * operations);
	assert_int_equal(sum.errors, (operations + 9) / 10);
	free_buckets(b);
}

/* Of a clock that has jumped back: in bucket 0, which is not opened anew for each of them. */
static void what_completes_before_the_start_takes_no_room(void **state)
{
	(void)state;
	struct buckets *b = new_buckets(WIDTH, 1);
	struct timeline timeline = {0};
	set_map(WIDTH, 10 * WIDTH);
	buckets_begin(b, &map);
	for (uint64_t i = 0; i < 3 * b->limit; i++)
		add(b, i % (10 * WIDTH), 1, IO_READ, false, 1);
	assert_false(b->overrun);
	buckets_collect(b, 0, &timeline, 0);
	assert_int_equal(timeline.buckets_count, 1);
	assert_int_equal(timeline.buckets[0].bucket, 0);
	assert_int_equal(timeline.buckets[0].operations, 3 * b->limit);
	free(timeline.buckets);
	free_buckets(b);
}

/* Any drift, amendments while it runs, a clock that jumps: what was taken is what was added, and
 * each in the bucket that the map of that moment says. */
static void sums_are_exact_under_any_mapping(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct random random = {.state = seed};
		struct buckets *b = new_buckets(WIDTH, 1);
		struct timeline timeline = {0};
		uint64_t now = UINT64_C(1) << 40, operations = 0;
		int64_t drift = (int64_t)random_below(&random, 1000000) - 500000;
		clock_map_release(&map);
		clock_map_init(&map, WIDTH);
		assert_true(
			clock_map_begin(&map, &(struct start){.at_ns = now, .drift_ppb = drift}));
		buckets_begin(b, &map);
		for (int i = 0; i < 3000; i++) {
			now += random_below(&random, WIDTH / 3);
			if (random_below(&random, 50) == 0)
				now += random_below(&random, 20 * WIDTH);
			if (random_below(&random, 50) == 0)
				now -= random_below(&random, 20 * WIDTH);
			struct clock_bucket where = clock_map_find(&map, now + 2 * WIDTH);
			struct amend amend = {.bucket = where.bucket + 1,
					      .at_ns = where.from_ns + where.length_ns +
						       random_below(&random, WIDTH / 5),
					      .drift_ppb = -drift};
			if (random_below(&random, 20) == 0)
				clock_map_amend(&map, &amend, now);
			add(b, now, 3, IO_READ, false, 1);
			operations++;
			assert_true(now - b->from_ns < b->length_ns ||
				    clock_map_find(&map, now).bucket == 0);
			if (random_below(&random, 100) == 0)
				buckets_collect(b, 0, &timeline, timeline.buckets_count);
		}
		buckets_collect(b, 0, &timeline, timeline.buckets_count);
		assert_int_equal(sum_of(&timeline).operations, operations);
		assert_int_equal(sum_of(&timeline).bytes_read, 3 * operations);
		free(timeline.buckets);
		free_buckets(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_completion_is_in_the_bucket_of_its_time),
		cmocka_unit_test(what_was_collected_is_not_collected_again),
		cmocka_unit_test(a_late_booking_goes_to_its_own_bucket),
		cmocka_unit_test(workers_of_one_target_share_entries),
		cmocka_unit_test(an_overrun_is_told_and_loses_nothing),
		cmocka_unit_test(short_buckets_have_room_for_a_minute),
		cmocka_unit_test(a_reader_beside_the_writer_misses_nothing),
		cmocka_unit_test(what_completes_before_the_start_takes_no_room),
		cmocka_unit_test(sums_are_exact_under_any_mapping),
	};

	clock_map_init(&map, WIDTH);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	clock_map_release(&map);
	return failed;
}
