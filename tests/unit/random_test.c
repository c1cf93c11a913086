#include "common/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* First outputs of SplitMix64 for state 0 and 1234567, as published with the algorithm. */
static void the_sequence_is_that_of_splitmix64(void **state)
{
	(void)state;
	static const uint64_t zero[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
					UINT64_C(0x06c45d188009454f)};
	static const uint64_t other[] = {UINT64_C(6457827717110365317),
					 UINT64_C(3203168211198807973),
					 UINT64_C(9817491932198370423)};
	struct random from_zero = {0}, from_other = {1234567};

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(random_next(&from_zero), zero[i]);
		assert_int_equal(random_next(&from_other), other[i]);
	}
}

static void numbers_stay_below_and_reach_every_value(void **state)
{
	(void)state;
	static const uint64_t limits[] = {1, 2, 3, 7, 100};
	struct random r = {1};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t seen[100] = {0};
		for (int n = 0; n < 20000; n++) {
			uint64_t value = random_below(&r, limits[i]);
			assert_true(value < limits[i]);
			seen[value]++;
		}
		/* 200 expected of 100, standard deviation 14: fixed seed, so it holds for ever. */
		for (uint64_t v = 0; v < limits[i]; v++)
			assert_true(seen[v] * limits[i] > 20000 * 7 / 10);
	}
}

/* 3 * 2^62 values: a plain modulus would give the lowest third of them twice as often. */
static void large_limits_have_no_bias(void **state)
{
	(void)state;
	const uint64_t third = UINT64_C(1) << 62, below = 3 * third;
	uint64_t seen[3] = {0};
	struct random r = {2};

	for (int i = 0; i < 30000; i++)
		seen[random_below(&r, below) / third]++;
	for (size_t i = 0; i < 3; i++)
		assert_in_range(seen[i], 9700, 10300);
	for (int i = 0; i < 1000; i++)
		assert_true(random_below(&r, UINT64_MAX) < UINT64_MAX);
}

static void seeds_differ(void **state)
{
	(void)state;
	uint64_t first = random_seed();

	assert_true(first != random_seed());
	assert_true(first != random_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sequence_is_that_of_splitmix64),
		cmocka_unit_test(numbers_stay_below_and_reach_every_value),
		cmocka_unit_test(large_limits_have_no_bias),
		cmocka_unit_test(seeds_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
