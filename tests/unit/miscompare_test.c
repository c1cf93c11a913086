/* What is told of wrong data: each kind is made, and has to be named rightly and located exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "agent/miscompare.h"
#include "common/random.h"

static const struct pattern_shape plain;

#define SIZE  4096
#define AT    UINT64_C(1048576)
#define SEED  11
#define OWNER 22

static unsigned char data[SIZE];
static const struct expected exact = {.seed = SEED, .owner = OWNER, .oldest = 5, .newest = 5};
static const struct expected several = {.seed = SEED, .owner = OWNER, .oldest = 3, .newest = 7};
static const struct expected open_end = {
	.seed = SEED, .owner = OWNER, .oldest = 5, .newest = UINT64_MAX};
static const struct expected *const all[] = {&exact, &several, &open_end};

static void put(size_t at, size_t size, uint64_t owner, uint64_t generation, uint64_t offset)
{
	pattern_fill(data + at, size, pattern_key(SEED, owner, generation, plain), offset);
}

static void put_right(void)
{
	put(0, SIZE, OWNER, 5, AT);
}

static void assert_right(const struct expected *expected)
{
	struct miscompare found;

	assert_true(miscompare_is_right(data, SIZE, AT, expected));
	assert_false(miscompare_find(data, SIZE, AT, expected, &found));
}

static struct miscompare find(const struct expected *expected)
{
	struct miscompare found;

	assert_false(miscompare_is_right(data, SIZE, AT, expected));
	assert_true(miscompare_find(data, SIZE, AT, expected, &found));
	return found;
}

static void what_was_written_is_right(void **state)
{
	(void)state;
	for (uint64_t generation = 3; generation <= 7; generation++) {
		put(0, SIZE, OWNER, generation, AT);
		assert_right(&several);
	}
	put_right();
	for (size_t i = 0; i < 3; i++)
		assert_right(all[i]);
}

static void any_flipped_bit_is_found_and_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t bit = 0; bit < SIZE * 8; bit += bit < 8192 ? 1 : 997) {
			put_right();
			data[bit / 8] ^= (unsigned char)(1 << bit % 8);
			struct miscompare found = find(all[i]);
			assert_int_equal(found.kind, MISCOMPARE_BIT_FLIPS);
			assert_int_equal(found.at, bit / 8);
			assert_int_equal(found.bits, 1);
		}
}

static void a_zeroed_sector_is_zeros(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t sector = 0; sector < SIZE; sector += 512) {
			put_right();
			size_t first = sector;
			while (!data[first])
				first++;
			memset(data + sector, 0, 512);
			struct miscompare found = find(all[i]);
			assert_int_equal(found.kind, MISCOMPARE_ZEROS);
			assert_int_equal(found.at, first);
		}
}

static void an_older_generation_is_stale(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		put(0, SIZE, OWNER, 2, AT);
		struct miscompare found = find(all[i]);
		assert_int_equal(found.kind, MISCOMPARE_STALE);
		assert_int_equal(found.is.generation, 2);
	}
}

static void two_generations_in_a_piece_are_torn(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t sector = 512; sector < SIZE; sector += 512) {
			put_right();
			put(sector, SIZE - sector, OWNER, 4, AT + sector);
			struct miscompare found = find(all[i]);
			assert_int_equal(found.kind, MISCOMPARE_TORN);
			assert_in_range(found.at, sector, sector + 8);
			assert_int_equal(found.wanted, 5);
			assert_int_equal(found.is.generation, 4);
		}
}

static void data_of_elsewhere_says_whose_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		put(0, SIZE, OWNER, 5, AT + 3 * SIZE);
		struct miscompare found = find(all[i]);
		assert_int_equal(found.kind, MISCOMPARE_MISDIRECTED);
		assert_int_equal(found.is.offset, AT + 3 * SIZE);
		assert_int_equal(found.is.owner, OWNER);
		put_right();
		put(1024, 512, OWNER + 1, 9, AT + 1024);
		data[1024 + 100] ^= 8; /* what is damaged besides is still known */
		found = find(all[i]);
		assert_int_equal(found.kind, MISCOMPARE_MISDIRECTED);
		assert_in_range(found.at, 1024, 1032);
		assert_int_equal(found.is.owner, OWNER + 1);
		assert_int_equal(found.is.generation, 9);
	}
}

static void what_nobody_wrote_is_foreign(void **state)
{
	(void)state;
	struct random random = {.state = 1};
	for (size_t i = 0; i < 3; i++) {
		put_right();
		for (size_t k = 2048; k < 2560; k++)
			data[k] = (unsigned char)random_next(&random);
		struct miscompare found = find(all[i]);
		assert_int_equal(found.kind, MISCOMPARE_FOREIGN);
		assert_in_range(found.at, 2048, 2056);
		/* another run's */
		pattern_fill(data + 2048, 512, pattern_key(SEED + 1, OWNER, 5, plain), AT + 2048);
		assert_int_equal(find(all[i]).kind, MISCOMPARE_FOREIGN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_right),
		cmocka_unit_test(any_flipped_bit_is_found_and_named),
		cmocka_unit_test(a_zeroed_sector_is_zeros),
		cmocka_unit_test(an_older_generation_is_stale),
		cmocka_unit_test(two_generations_in_a_piece_are_torn),
		cmocka_unit_test(data_of_elsewhere_says_whose_it_is),
		cmocka_unit_test(what_nobody_wrote_is_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
