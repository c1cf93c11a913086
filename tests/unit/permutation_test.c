/* Each number once, whatever the count; and no order that a device could guess. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/memory.h"
#include "common/permutation.h"

static void check_all(uint64_t count, uint64_t seed)
{
	unsigned char *seen = mem_new(count, 1);
	struct permutation p;

	permutation_begin(&p, count, seed);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t number = permutation_next(&p);
		if (number >= count || seen[number]++)
			fail_msg("of %llu numbers the %llu-th is %llu, seed %llu",
				 (unsigned long long)count, (unsigned long long)i,
				 (unsigned long long)number, (unsigned long long)seed);
	}
	free(seen);
}

static void each_number_comes_once_for_every_small_count(void **state)
{
	(void)state;
	for (uint64_t count = 1; count <= 1100; count++)
		check_all(count, count * 7);
}

static void each_number_comes_once_about_powers_of_two(void **state)
{
	(void)state;
	for (int bits = 11; bits <= 20; bits++)
		for (int off = -1; off <= 1; off++)
			for (uint64_t seed = 0; seed < 3; seed++)
				check_all((UINT64_C(1) << bits) + (uint64_t)off, seed);
	check_all(1000003, 9);
	check_all(UINT64_C(3) << 18, 9);
}

/* Too many to count: those that come are below the count, and no two of the first are alike. */
static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void large_counts_do_not_repeat(void **state)
{
	(void)state;
	static const uint64_t counts[] = {UINT64_C(1) << 32, (UINT64_C(1) << 40) + 1,
					  UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX};
	enum { FIRST = 100000 };
	uint64_t *numbers = mem_new(FIRST, sizeof(*numbers));
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct permutation p;
		permutation_begin(&p, counts[c], 3);
		for (int i = 0; i < FIRST; i++) {
			numbers[i] = permutation_next(&p);
			assert_true(numbers[i] < counts[c]);
		}
		qsort(numbers, FIRST, sizeof(*numbers), compare);
		for (int i = 1; i < FIRST; i++)
			assert_true(numbers[i] != numbers[i - 1]);
	}
	free(numbers);
}

/* Neighbours in time are neighbours in place no more often than chance has it, also modulo small
 * powers of two; each within six standard deviations. */
static void the_order_has_no_short_steps(void **state)
{
	(void)state;
	enum { COUNT = 100000 };
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct permutation p;
		uint64_t near = 0, same_parity = 0, same_eighth = 0, last = 0;
		permutation_begin(&p, COUNT, seed);
		for (int i = 0; i < COUNT; i++) {
			uint64_t number = permutation_next(&p);
			uint64_t step = number > last ? number - last : last - number;
			near += step <= 50;
			same_parity += number % 2 == last % 2;
			same_eighth += number / (COUNT / 8) == last / (COUNT / 8);
			last = number;
		}
		assert_in_range(near, 30, 170);             /* 100 */
		assert_in_range(same_parity, 49050, 50950); /* 50,000 */
		assert_in_range(same_eighth, 11870, 13130); /* 12,500 */
	}
}

static void seeds_have_orders_of_their_own(void **state)
{
	(void)state;
	struct permutation a, b;
	uint32_t alike = 0;
	permutation_begin(&a, 1000, 1);
	permutation_begin(&b, 1000, 2);
	for (int i = 0; i < 1000; i++)
		alike += permutation_next(&a) == permutation_next(&b);
	assert_true(alike < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_comes_once_for_every_small_count),
		cmocka_unit_test(each_number_comes_once_about_powers_of_two),
		cmocka_unit_test(large_counts_do_not_repeat),
		cmocka_unit_test(the_order_has_no_short_steps),
		cmocka_unit_test(seeds_have_orders_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
