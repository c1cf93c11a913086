#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/clock.h"
#include "controller/clock_exchange.h"
#include "controller/clock_samples.h"

/* Of an agent whose clock is an hour ahead, with `trip_ns` on the way. */
static struct clock_sample sample_at(uint64_t t1, uint64_t trip_ns)
{
	uint64_t hour = 3600 * NS_PER_S;

	return (struct clock_sample){.t1 = t1,
				     .t2 = t1 + hour + trip_ns / 2,
				     .t3 = t1 + hour + trip_ns / 2 + 1000,
				     .t4 = t1 + trip_ns + 1000,
				     .upper_error_ns = 10,
				     .lower_error_ns = 10};
}

static void only_stamps_that_can_be_are_possible(void **state)
{
	(void)state;
	const uint64_t s = NS_PER_S;
	/* t1, t4, t2, t3, errors */
	const struct {
		const char *what;
		struct clock_sample sample;
		bool is_possible;
	} cases[] = {
		{"plain", {1000, 1900, 5000, 5100}, true},
		{"no time at all", {5, 5, 6, 6}, true},
		{"back before it left", {1000, 999, 5000, 5000}, false},
		{"answered before it came", {1000, 2000, 5001, 5000}, false},
		{"held for longer than it took", {1000, 2000, 7000, 8050}, false},
		{"the same, within the errors", {1000, 2000, 7000, 8050, 30, 30}, true},
		{"held by a clock that is 500 ppm fast", {s, 2 * s, 3 * s, 4 * s + 500000}, true},
		{"held by one that is 700 ppm fast", {s, 2 * s, 3 * s, 4 * s + 700000}, false},
		{"beyond all ages", {1, 10, UINT64_MAX - 5, UINT64_MAX - 4}, false},
		{"so here", {UINT64_MAX - 9, UINT64_MAX - 1, 1, 2}, false},
		{"an error of seconds", {1000, 1900, 5000, 5100, UINT32_MAX, 0}, false},
		{"or on the other side", {1000, 1900, 5000, 5100, 0, UINT32_MAX}, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].what);
		assert_int_equal(clock_sample_is_possible(&cases[i].sample), cases[i].is_possible);
	}
}

static void samples_stand_in_order_of_t1_however_they_come(void **state)
{
	(void)state;
	static const uint64_t come[] = {500, 100, 300, 300, 900, 200, 700};
	struct clock_samples samples = {0};
	for (size_t i = 0; i < sizeof(come) / sizeof(come[0]); i++) {
		struct clock_sample sample = sample_at(come[i], 100);
		clock_samples_add(&samples, &sample);
	}
	assert_int_equal(samples.count, 7);
	for (uint32_t i = 1; i < samples.count; i++)
		assert_true(samples.samples[i - 1].t1 <= samples.samples[i].t1);
	assert_int_equal(clock_samples_since(&samples, 0), 7);
	assert_int_equal(clock_samples_since(&samples, 300), 5);
	assert_int_equal(clock_samples_since(&samples, 301), 3);
	assert_int_equal(clock_samples_since(&samples, 901), 0);
	clock_samples_release(&samples);
}

static void a_sample_is_replaced_by_its_tighter_self(void **state)
{
	(void)state;
	struct clock_samples samples = {0};
	for (uint64_t t1 = 1; t1 <= 10; t1++) {
		struct clock_sample sample = sample_at(t1 * 1000, 100);
		clock_samples_add(&samples, &sample);
	}
	struct clock_sample tighter = sample_at(9000, 100);
	tighter.stamp = CLOCK_STAMP_KERNEL;
	clock_samples_replace(&samples, &tighter);
	assert_int_equal(samples.count, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(samples.samples[i].stamp,
				 i == 8 ? CLOCK_STAMP_KERNEL : CLOCK_STAMP_ZEROMQ);
	tighter.t1 = 9001;
	clock_samples_replace(&samples, &tighter);
	assert_int_equal(samples.count, 10);
	clock_samples_release(&samples);
}

/* Twenty a second, each burst's third the tightest, for half a day. */
static void a_long_run_keeps_the_tightest_of_each_slice_and_all_of_the_newest(void **state)
{
	(void)state;
	struct clock_samples samples = {0};
	uint32_t bursts = 180000;
	for (uint32_t i = 0; i < 5 * bursts; i++) {
		uint64_t t1 = 1000 * NS_PER_S + i / 5 * 250 * NS_PER_MS + i % 5 * NS_PER_MS;
		struct clock_sample sample = sample_at(t1, i % 5 == 2 ? 5000 : 50000);
		clock_samples_add(&samples, &sample);
		assert_true(samples.count <= CLOCK_EXCHANGE_KEPT);
	}
	assert_int_equal(samples.taken, 5 * bursts);
	for (uint32_t i = 0; i < samples.count; i++) {
		uint64_t trip = samples.samples[i].t4 - samples.samples[i].t1 - 1000;
		bool is_newest = i >= samples.count - CLOCK_EXCHANGE_KEPT / 4;
		assert_true(i == 0 || samples.samples[i - 1].t1 <= samples.samples[i].t1);
		if (i < CLOCK_EXCHANGE_KEPT / 10)
			assert_int_equal(trip, 5000);
		if (is_newest && i > 0)
			assert_true(samples.samples[i].t1 - samples.samples[i - 1].t1 <=
				    246 * NS_PER_MS);
	}
	/* No hole as wide as twenty slices of what half a day needs: the window of a fit. */
	for (uint32_t i = 1; i < samples.count; i++)
		assert_true(samples.samples[i].t1 - samples.samples[i - 1].t1 <= 20 * NS_PER_S);
	clock_samples_release(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_stamps_that_can_be_are_possible),
		cmocka_unit_test(samples_stand_in_order_of_t1_however_they_come),
		cmocka_unit_test(a_sample_is_replaced_by_its_tighter_self),
		cmocka_unit_test(a_long_run_keeps_the_tightest_of_each_slice_and_all_of_the_newest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
