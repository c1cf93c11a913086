#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/clock_sync.h"

static void no_estimate_before_the_first_exchange(void **state)
{
	(void)state;
	struct clock_sync sync = {0};
	int64_t offset;
	uint64_t bound;
	assert_false(clock_sync_estimate(&sync, 1000, &offset, &bound));
}

/* agent = controller + 5,000; 100 there, 300 back: the truth is inside, at the edge of asymmetry.
 */
static void the_true_offset_is_inside_the_bound_whatever_the_asymmetry(void **state)
{
	(void)state;
	static const struct {
		uint64_t there, back;
		int64_t truth;
	} rows[] = {
		{100, 300, 5000}, {0, 400, 5000}, {400, 0, 5000}, {100, 300, -5000}, {0, 0, 7},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clock_sync sync = {0};
		int64_t offset;
		uint64_t bound, t1 = 1000000, held = 50;
		uint64_t t2 = (uint64_t)((int64_t)(t1 + rows[i].there) + rows[i].truth);
		uint64_t t4 = t1 + rows[i].there + held + rows[i].back;
		assert_true(clock_sync_add(&sync, t1, t2, t2 + held, t4));
		assert_true(clock_sync_estimate(&sync, t4, &offset, &bound));
		int64_t error = offset - rows[i].truth;
		assert_true((uint64_t)(error < 0 ? -error : error) <= bound);
		assert_true(bound <= (rows[i].there + rows[i].back) / 2 + 1);
	}
}

static void clocks_that_are_days_apart_do_not_overflow(void **state)
{
	(void)state;
	struct clock_sync sync = {0};
	int64_t offset;
	uint64_t bound, day = UINT64_C(86400000000000);
	assert_true(clock_sync_add(&sync, 1000 * day, 10, 20, 1000 * day + 30));
	assert_true(clock_sync_estimate(&sync, 1000 * day + 30, &offset, &bound));
	assert_true(offset + (int64_t)(1000 * day) >= -20 && offset + (int64_t)(1000 * day) <= 20);
}

static void stamps_that_cannot_be_are_dropped(void **state)
{
	(void)state;
	struct clock_sync sync = {0};
	assert_false(clock_sync_add(&sync, 100, 50, 60, 99));  /* back before it was sent */
	assert_false(clock_sync_add(&sync, 100, 60, 50, 200)); /* answered before it came */
	assert_false(
		clock_sync_add(&sync, 100, 50, 250, 200)); /* held for longer than it was away */
	assert_int_equal(sync.exchanges, 0);
}

static void the_bound_grows_by_500_ppm_and_a_fresh_exchange_wins(void **state)
{
	(void)state;
	struct clock_sync sync = {0};
	int64_t offset;
	uint64_t bound, second = UINT64_C(1000000000);
	clock_sync_add(&sync, 0, 500, 500, 1000);
	clock_sync_estimate(&sync, 1000 + 10 * second, &offset, &bound);
	assert_int_equal(bound, 501 + 10 * 500000);
	/* 100 us round trip but now: better than 1 us ten seconds ago. */
	clock_sync_add(&sync, 10 * second, 10 * second + 50000 + 77, 10 * second + 50000 + 77,
		       10 * second + 100000);
	clock_sync_estimate(&sync, 10 * second + 100000, &offset, &bound);
	assert_int_equal(offset, 77);
	assert_int_equal(bound, 50001);
	assert_int_equal(clock_sync_slowest(&sync), 100000);
}

static void only_the_latest_exchanges_are_kept(void **state)
{
	(void)state;
	struct clock_sync sync = {0};
	int64_t offset;
	uint64_t bound;
	clock_sync_add(&sync, 0, 1000000, 1000000, 2); /* excellent, and forgotten */
	for (uint64_t i = 1; i <= CLOCK_SYNC_KEPT; i++)
		clock_sync_add(&sync, i * 1000, i * 1000 + 50, i * 1000 + 50, i * 1000 + 100);
	clock_sync_estimate(&sync, 70000, &offset, &bound);
	assert_int_equal(offset, 0);
	assert_int_equal(sync.exchanges, CLOCK_SYNC_KEPT + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_estimate_before_the_first_exchange),
		cmocka_unit_test(the_true_offset_is_inside_the_bound_whatever_the_asymmetry),
		cmocka_unit_test(clocks_that_are_days_apart_do_not_overflow),
		cmocka_unit_test(stamps_that_cannot_be_are_dropped),
		cmocka_unit_test(the_bound_grows_by_500_ppm_and_a_fresh_exchange_wins),
		cmocka_unit_test(only_the_latest_exchanges_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
