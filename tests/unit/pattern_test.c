#include "common/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/memory.h"

#define BLOCK 65536

static int compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void any_part_can_be_made_again_from_its_place(void **state)
{
	(void)state;
	static unsigned char whole[BLOCK], part[BLOCK];
	static const size_t places[][2] = {{0, 512},   {512, 1024},        {4096, 4096},
					   {0, BLOCK}, {BLOCK - 512, 512}, {512, BLOCK - 512}};
	const uint64_t at = UINT64_C(1) << 40;
	const struct pattern_key key = pattern_key(42, 1, 2);

	pattern_fill(whole, sizeof(whole), key, at);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		pattern_fill(part, places[i][1], key, at + places[i][0]);
		assert_memory_equal(part, whole + places[i][0], places[i][1]);
	}
}

static void unaligned_memory_holds_the_same(void **state)
{
	(void)state;
	unsigned char straight[1024], shifted[1025];
	const struct pattern_key key = pattern_key(7, 1, 2);

	pattern_fill(straight, sizeof(straight), key, 512);
	pattern_fill(shifted + 1, sizeof(straight), key, 512);
	assert_memory_equal(straight, shifted + 1, sizeof(straight));
	assert_int_equal(pattern_check(shifted + 1, 1024, key, 512), 1024);
}

static void a_fill_stays_inside_its_size(void **state)
{
	(void)state;
	unsigned char buffer[528];

	memset(buffer, 0xee, sizeof(buffer));
	pattern_fill(buffer + 8, 512, pattern_key(1, 1, 1), 0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(buffer[i], 0xee);
		assert_int_equal(buffer[520 + i], 0xee);
	}
	pattern_fill(buffer, 0, pattern_key(1, 1, 1), 0);
	assert_int_equal(buffer[0], 0xee);
}

static void check_finds_the_first_wrong_byte(void **state)
{
	(void)state;
	static unsigned char block[BLOCK];
	static const size_t places[] = {0, 1, 7, 8, 4095, 4096, 4097, 8191, 40000, BLOCK - 1};
	struct pattern_key key = pattern_key(1, pattern_owner("store1", "data"), 0);

	pattern_fill(block, sizeof(block), key, 1048576);
	assert_int_equal(pattern_check(block, sizeof(block), key, 1048576), BLOCK);
	assert_int_equal(pattern_check(block, 0, key, 1048576), 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		block[places[i]] ^= 1;
		block[BLOCK - 1] ^= 2;
		assert_int_equal(pattern_check(block, sizeof(block), key, 1048576), places[i]);
		block[places[i]] ^= 1;
		block[BLOCK - 1] ^= 2;
	}
}

static void another_place_or_key_is_wrong_at_once(void **state)
{
	(void)state;
	unsigned char block[4096];
	struct pattern_key key = pattern_key(1, 5, 3);

	pattern_fill(block, sizeof(block), key, 8192);
	assert_true(pattern_check(block, sizeof(block), key, 8704) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(1, 5, 4), 8192) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(1, 6, 3), 8192) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(2, 5, 3), 8192) < 8);
}

static void owners_differ(void **state)
{
	(void)state;
	const uint64_t owners[] = {
		pattern_owner("a", "b"),  pattern_owner("b", "a"), pattern_owner("b", "b"),
		pattern_owner("a", "a"),  pattern_owner("ab", ""), pattern_owner("", "ab"),
		pattern_owner("a", "b1"), pattern_owner("", ""),
	};
	const size_t count = sizeof(owners) / sizeof(owners[0]);

	assert_true(owners[0] == pattern_owner("a", "b"));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(owners[i] != owners[j]);
}

/* Whatever the place: what a sector says is where it was made for, and only for who has the seed.
 */
static void a_sector_says_where_it_belongs(void **state)
{
	(void)state;
	static const uint64_t values[] = {0, 1, 77, UINT64_C(1) << 40, UINT64_MAX};
	unsigned char sector[512];

	for (size_t i = 0; i < 125; i++) {
		uint64_t seed = values[i % 5], owner = values[i / 5 % 5];
		uint64_t generation = values[i / 25], offset = i * 512 + (UINT64_C(1) << 61);
		pattern_fill(sector, 512, pattern_key(seed, owner, generation), offset);
		struct pattern_place place = pattern_place(sector, seed);
		assert_true(place.owner == owner && place.generation == generation);
		assert_true(place.offset == offset);
		assert_true(pattern_place(sector, seed + 1).owner != owner);
	}
}

/* A store that dedups any 8 bytes would find nothing in 4 targets over 2 generations. */
static void no_word_comes_twice(void **state)
{
	(void)state;
	static const char *const names[] = {"t0", "t1", "t2", "t3"};
	const size_t block = 262144, words = 8 * block / sizeof(uint64_t);
	uint64_t *all = mem_new(words, sizeof(*all));

	for (size_t i = 0; i < 8; i++)
		pattern_fill(all + i * block / sizeof(*all), block,
			     pattern_key(5, pattern_owner("h", names[i % 4]), i / 4), 0);
	qsort(all, words, sizeof(*all), compare_words);
	for (size_t i = 1; i < words; i++)
		assert_true(all[i] != all[i - 1]);
	free(all);
}

/* chi^2 of 255 degrees of freedom, 6 standard deviations; the seed is fixed. */
static void all_bytes_are_equally_frequent(void **state)
{
	(void)state;
	static unsigned char block[1 << 20];
	double expected = sizeof(block) / 256.0, chi = 0;
	uint64_t seen[256] = {0};

	pattern_fill(block, sizeof(block), pattern_key(9, 1, 0), 0);
	for (size_t i = 0; i < sizeof(block); i++)
		seen[block[i]]++;
	for (size_t i = 0; i < 256; i++)
		chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
	assert_true(chi > 255 - 6 * 22.6 && chi < 255 + 6 * 22.6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_part_can_be_made_again_from_its_place),
		cmocka_unit_test(unaligned_memory_holds_the_same),
		cmocka_unit_test(a_fill_stays_inside_its_size),
		cmocka_unit_test(check_finds_the_first_wrong_byte),
		cmocka_unit_test(another_place_or_key_is_wrong_at_once),
		cmocka_unit_test(owners_differ),
		cmocka_unit_test(a_sector_says_where_it_belongs),
		cmocka_unit_test(no_word_comes_twice),
		cmocka_unit_test(all_bytes_are_equally_frequent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
