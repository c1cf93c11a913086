/* Borders of buckets on an agent's clock: one ends a bucket and begins the next, whatever comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "agent/clock_map.h"
#include "common/random.h"

#define WIDTH (100 * NS_PER_MS)
#define START (1000 * NS_PER_S)
#define FIXED CLOCK_MAP_START_FIXED_NS

static struct clock_map map;

static void begin(uint64_t end_ns, int64_t drift_ppb)
{
	struct start start = {.at_ns = START, .end_ns = end_ns, .drift_ppb = drift_ppb};

	clock_map_init(&map, WIDTH);
	assert_true(clock_map_begin(&map, &start));
}

static int tear_down(void **state)
{
	(void)state;
	clock_map_release(&map);
	return 0;
}

/* Exact, by another way than border.h: a part of 10^9 after the other. */
static uint64_t border_by_hand(uint32_t bucket, int64_t drift_ppb)
{
	uint64_t span = bucket * WIDTH;
	int64_t whole = (int64_t)(span / NS_PER_S) * drift_ppb;
	int64_t part = (int64_t)(span % NS_PER_S) * drift_ppb;
	int64_t down = part / 1000000000 - (part % 1000000000 < 0);

	return START + span + (uint64_t)(whole + down);
}

static void borders_are_where_the_formula_says_to_the_ns(void **state)
{
	(void)state;
	static const int64_t drifts[] = {0, 1, -1, 333, 50000, -200001, 500000, -500000};
	for (size_t d = 0; d < sizeof(drifts) / sizeof(drifts[0]); d++) {
		begin(0, drifts[d]);
		for (uint32_t k = 0; k < 4000000; k = k * 3 + 1) {
			uint64_t at = border_by_hand(k, drifts[d]);
			struct clock_bucket in = clock_map_find(&map, at);
			assert_int_equal(in.bucket, k);
			assert_int_equal(in.from_ns, at);
			assert_int_equal(in.from_ns + in.length_ns,
					 border_by_hand(k + 1, drifts[d]));
			if (k)
				assert_int_equal(clock_map_find(&map, at - 1).bucket, k - 1);
			assert_int_equal(clock_map_find(&map, at + in.length_ns - 1).bucket, k);
		}
		clock_map_release(&map);
	}
	begin(0, 0);
}

static void what_is_before_the_start_is_in_bucket_zero(void **state)
{
	(void)state;
	begin(0, 100);
	assert_int_equal(clock_map_find(&map, START - 1).bucket, 0);
	assert_int_equal(clock_map_find(&map, 0).bucket, 0);
	assert_int_equal(clock_map_find(&map, 0).from_ns, START);
}

/* A clock that jumps by centuries: the last bucket there can be, and no time lost in finding it. */
static void there_is_a_last_bucket(void **state)
{
	(void)state;
	begin(0, -100);
	struct clock_bucket last = clock_map_find(&map, UINT64_MAX - 1);
	assert_int_equal(last.bucket, UINT32_MAX);
	assert_true(UINT64_MAX - 1 - last.from_ns < last.length_ns);
}

static void impossible_instants_are_refused(void **state)
{
	(void)state;
	static const struct start starts[] = {
		{.at_ns = UINT64_MAX},
		{.at_ns = START, .end_ns = UINT64_MAX},
		{.at_ns = START, .end_ns = START},
		{.at_ns = START, .end_ns = START - 1},
		{.at_ns = START, .drift_ppb = 1000000000},
		{.at_ns = START, .drift_ppb = INT64_MIN},
	};
	clock_map_init(&map, WIDTH);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (clock_map_begin(&map, &starts[i]))
			fail_msg("row %zu was taken", i);
}

/* ---- amendments ---- */

static const struct amend_row {
	const char *name;
	struct amend amend;
	uint64_t now_ns;
	bool want;
} amend_rows[] = {
	{"two ahead",
	 {12, START + 12 * WIDTH + 5, START + 99 * WIDTH, 7},
	 START + 10 * WIDTH,
	 true},
	{"one ahead",
	 {11, START + 11 * WIDTH + 5, START + 99 * WIDTH, 7},
	 START + 10 * WIDTH,
	 false},
	{"past", {3, START + 3 * WIDTH + 5, START + 99 * WIDTH, 7}, START + 10 * WIDTH, false},
	{"under a quarter",
	 {50, START + 50 * WIDTH + WIDTH / 4 - 1, START + 99 * WIDTH, 0},
	 START,
	 true},
	{"a quarter", {50, START + 50 * WIDTH + WIDTH / 4, START + 99 * WIDTH, 0}, START, false},
	{"a quarter back",
	 {50, START + 50 * WIDTH - WIDTH / 4, START + 99 * WIDTH, 0},
	 START,
	 false},
	{"end too far", {50, START + 50 * WIDTH, START + 100 * WIDTH, 0}, START, false},
	{"end gone", {50, START + 50 * WIDTH, 0, 0}, START, false},
	{"end before it", {50, START + 50 * WIDTH, START + 50 * WIDTH, 0}, START, false},
	{"wild drift", {50, START + 50 * WIDTH, START + 99 * WIDTH, 200000000}, START, false},
	{"far bucket", {UINT32_MAX, START + 50 * WIDTH, START + 99 * WIDTH, 0}, START, false},
	{"before the start",
	 {2, START + 2 * WIDTH - 9, START + 99 * WIDTH, 0},
	 START - WIDTH,
	 true},
	{"start", {0, START + 77, START + 99 * WIDTH + 77, 0}, START - FIXED, true},
	{"start, late", {0, START + 77, START + 99 * WIDTH, 0}, START - FIXED + 1, false},
	{"start, past", {0, START + 77, START + 99 * WIDTH, 0}, START + WIDTH, false},
	{"start, sooner", {0, START - 77, START + 99 * WIDTH, 0}, START - FIXED, true},
	{"start, far", {0, 2 * START, 3 * START, 0}, START - FIXED, true},
	{"start, far sooner", {0, START / 2, START, 0}, START / 2 - 2 * WIDTH, true},
	{"start, sooner than seen", {0, START - WIDTH, START, 0}, START - WIDTH - FIXED, false},
	{"start, end gone", {0, START, 0, 0}, START - WIDTH, false},
};

static void amendments_are_taken_where_they_can_hold_for_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(amend_rows) / sizeof(amend_rows[0]); i++) {
		const struct amend_row *row = &amend_rows[i];
		const struct amend *amend = &row->amend;
		begin(START + 99 * WIDTH, 0);
		if (clock_map_amend(&map, amend, row->now_ns) != row->want)
			fail_msg("%s: wanted %d", row->name, row->want);
		if (row->want) {
			struct clock_bucket in = clock_map_find(&map, amend->at_ns);
			assert_int_equal(in.bucket, amend->bucket);
			assert_int_equal(in.from_ns, amend->at_ns);
			assert_int_equal(clock_map_end(&map), amend->end_ns);
			if (amend->bucket)
				assert_int_equal(clock_map_find(&map, amend->at_ns - 1).bucket,
						 amend->bucket - 1);
		} else {
			assert_int_equal(clock_map_end(&map), START + 99 * WIDTH);
			assert_int_equal(clock_map_find(&map, START + 12 * WIDTH).from_ns,
					 START + 12 * WIDTH);
		}
		clock_map_release(&map);
	}
	begin(0, 0);
}

static void a_start_that_somebody_took_stays(void **state)
{
	(void)state;
	begin(0, 0);
	struct amend amend = {.at_ns = START + 5};
	assert_true(clock_map_amend(&map, &amend, START - NS_PER_S));
	assert_int_equal(clock_map_start(&map), START + 5);
	assert_int_equal(clock_map_take_start(&map), START + 5);
	amend.at_ns = START + 9;
	assert_false(clock_map_amend(&map, &amend, START - NS_PER_S));
	assert_int_equal(clock_map_take_start(&map), START + 5);
}

static void many_small_moves_back_never_swallow_a_bucket(void **state)
{
	(void)state;
	begin(0, 0);
	struct amend amend = {.bucket = 5, .at_ns = START + 5 * WIDTH};
	uint32_t taken = 0;
	for (int i = 0; i < 20; i++) {
		amend.at_ns -= WIDTH / 5;
		taken += clock_map_amend(&map, &amend, START);
	}
	assert_int_equal(taken, 2);
	assert_int_equal(clock_map_find(&map, START + 4 * WIDTH).bucket, 4);
}

/* Whatever was taken: each instant is in the bucket that says it holds it, and numbers do not fall.
 */
static void buckets_have_neither_gap_nor_overlap(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct random random = {.state = seed};
		uint64_t now = START;
		uint32_t taken = 0;
		begin(0, (int64_t)random_below(&random, 1000000) - 500000);
		for (int i = 0; i < 30; i++) {
			struct clock_bucket ahead =
				clock_map_find(&map, now + random_below(&random, 6 * WIDTH));
			struct amend amend = {.bucket = ahead.bucket,
					      .at_ns = ahead.from_ns +
						       random_below(&random, WIDTH / 2) - WIDTH / 4,
					      .drift_ppb = (int64_t)random_below(&random, 1000000) -
							   500000};
			now += random_below(&random, WIDTH);
			taken += clock_map_amend(&map, &amend, now);
		}
		assert_true(taken > 0);
		struct clock_bucket in = clock_map_find(&map, START);
		uint32_t k = 0;
		for (; in.from_ns < now + 10 * WIDTH; k++) {
			assert_int_equal(in.bucket, k);
			assert_true(in.length_ns > WIDTH / 4);
			assert_int_equal(clock_map_find(&map, in.from_ns + in.length_ns - 1).bucket,
					 k);
			in = clock_map_find(&map, in.from_ns + in.length_ns);
		}
		assert_true(k > 10);
		clock_map_release(&map);
	}
	begin(0, 0);
}

/* ---- a reader beside the writer ---- */

static void *read_on(void *context)
{
	struct random random = {.state = 9};

	for (int i = 0; i < 200000; i++) {
		uint64_t at = START + random_below(&random, 3000 * WIDTH);
		struct clock_bucket in = clock_map_find(&map, at);
		if (at - in.from_ns >= in.length_ns)
			*(int *)context += 1;
	}
	return NULL;
}

static void a_reader_beside_the_writer_always_sees_a_whole_map(void **state)
{
	(void)state;
	pthread_t thread;
	int wrong = 0;
	begin(0, 0);
	assert_int_equal(pthread_create(&thread, NULL, read_on, &wrong), 0);
	for (uint32_t k = 2; k < 3000; k++) {
		struct amend amend = {.bucket = k,
				      .at_ns = clock_map_find(&map, START + k * WIDTH).from_ns +
					       k % 7,
				      .drift_ppb = (int64_t)k * 100 - 150000};
		clock_map_amend(&map, &amend, START + (k - 2) * WIDTH);
	}
	pthread_join(thread, NULL);
	assert_int_equal(wrong, 0);
	assert_true(map.segments > 1000);
}

static void amendments_have_a_limit(void **state)
{
	(void)state;
	uint32_t taken = 0;
	begin(0, 0);
	for (uint32_t i = 0; i < CLOCK_MAP_MOST + 10; i++) {
		struct amend amend = {.bucket = i + 2, .at_ns = START + (i + 2) * WIDTH};
		taken += clock_map_amend(&map, &amend, START + i * WIDTH);
	}
	assert_int_equal(taken, CLOCK_MAP_MOST - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(borders_are_where_the_formula_says_to_the_ns, tear_down),
		cmocka_unit_test_teardown(what_is_before_the_start_is_in_bucket_zero, tear_down),
		cmocka_unit_test_teardown(there_is_a_last_bucket, tear_down),
		cmocka_unit_test_teardown(impossible_instants_are_refused, tear_down),
		cmocka_unit_test_teardown(amendments_are_taken_where_they_can_hold_for_all,
					  tear_down),
		cmocka_unit_test_teardown(a_start_that_somebody_took_stays, tear_down),
		cmocka_unit_test_teardown(many_small_moves_back_never_swallow_a_bucket, tear_down),
		cmocka_unit_test_teardown(buckets_have_neither_gap_nor_overlap, tear_down),
		cmocka_unit_test_teardown(a_reader_beside_the_writer_always_sees_a_whole_map,
					  tear_down),
		cmocka_unit_test_teardown(amendments_have_a_limit, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
