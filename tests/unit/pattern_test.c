#include "common/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/memory.h"

static const struct pattern_shape plain;

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
	const struct pattern_key key = pattern_key(42, 1, 2, plain);

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
	const struct pattern_key key = pattern_key(7, 1, 2, plain);

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
	pattern_fill(buffer + 8, 512, pattern_key(1, 1, 1, plain), 0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(buffer[i], 0xee);
		assert_int_equal(buffer[520 + i], 0xee);
	}
	pattern_fill(buffer, 0, pattern_key(1, 1, 1, plain), 0);
	assert_int_equal(buffer[0], 0xee);
}

static void check_finds_the_first_wrong_byte(void **state)
{
	(void)state;
	static unsigned char block[BLOCK];
	static const size_t places[] = {0, 1, 7, 8, 4095, 4096, 4097, 8191, 40000, BLOCK - 1};
	struct pattern_key key = pattern_key(1, pattern_owner("store1", "data"), 0, plain);

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
	struct pattern_key key = pattern_key(1, 5, 3, plain);

	pattern_fill(block, sizeof(block), key, 8192);
	assert_true(pattern_check(block, sizeof(block), key, 8704) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(1, 5, 4, plain), 8192) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(1, 6, 3, plain), 8192) < 8);
	assert_true(pattern_check(block, sizeof(block), pattern_key(2, 5, 3, plain), 8192) < 8);
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
		uint64_t generation = values[i / 25] % PATTERN_GENERATIONS,
			 offset = i * 512 + (UINT64_C(1) << 61);
		pattern_fill(sector, 512, pattern_key(seed, owner, generation, plain), offset);
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
			     pattern_key(5, pattern_owner("h", names[i % 4]), i / 4, plain), 0);
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

	pattern_fill(block, sizeof(block), pattern_key(9, 1, 0, plain), 0);
	for (size_t i = 0; i < sizeof(block); i++)
		seen[block[i]]++;
	for (size_t i = 0; i < 256; i++)
		chi += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
	assert_true(chi > 255 - 6 * 22.6 && chi < 255 + 6 * 22.6);
}

/* ---- shapes ---- */

static const struct pattern_shape shapes[] = {
	{.compress = 50},
	{.compress = 90, .dedupe = 20},
	{.dedupe = 95},
	{.source = PATTERN_AES_CTR},
	{.source = PATTERN_AES_CTR, .compress = 1, .dedupe = 50},
	{.source = PATTERN_ZEROS},
};
static unsigned char whole[6 << 20], part[2 << 20];

static void a_shape_is_a_function_of_the_place_too(void **state)
{
	(void)state;
	static const size_t places[][2] = {
		{0, 512}, {(1 << 20) - 512, 1024}, {512, 2 << 20}, {5 << 20, 4096}};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct pattern_key key = pattern_key(42, 1, 2, shapes[i]);
		pattern_fill(whole, sizeof(whole), key, 0);
		assert_int_equal(pattern_check(whole, sizeof(whole), key, 0), sizeof(whole));
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
			pattern_fill(part, places[k][1], key, places[k][0]);
			assert_memory_equal(part, whole + places[k][0], places[k][1]);
		}
		for (size_t at = 0; at < sizeof(whole); at += 999999) {
			whole[at] ^= 4;
			assert_int_equal(pattern_check(whole, sizeof(whole), key, 0), at);
			whole[at] ^= 4;
		}
	}
}

/* Of the packed 16 bits, those that are no shape are none. */
static void a_shape_is_packed_and_unpacked(void **state)
{
	(void)state;
	for (uint64_t bits = 0; bits < 1 << 16; bits++) {
		struct pattern_shape shape = pattern_shape_unpack(bits);
		assert_true(shape.source < PATTERN_SOURCES &&
			    shape.compress <= PATTERN_COMPRESS_MOST &&
			    shape.dedupe <= PATTERN_DEDUPE_MOST);
		if (!pattern_shape_is_plain(shape))
			assert_int_equal(pattern_shape_pack(shape), bits);
		assert_in_range(pattern_shape_random_bytes(shape), 32, 512);
	}
}

static void a_sector_of_any_shape_says_whose_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < sizeof(shapes) / sizeof(shapes[0]); i++) {
		pattern_fill(whole, sizeof(whole), pattern_key(42, 1, 2, shapes[i]), 0);
		for (size_t at = 0; at < sizeof(whole); at += 65536 + 512) {
			struct pattern_place place = pattern_place(whole + at, 42);
			uint64_t home;
			bool is_copy = pattern_shape_is_copy(shapes[i], at, &home);
			assert_true(pattern_is_proven(whole + at, 42, &place));
			assert_int_equal(place.owner, 1);
			assert_int_equal(place.generation, is_copy ? PATTERN_SHARED : 2);
			assert_int_equal(place.offset, home);
			assert_true(pattern_shape_is_equal(place.shape, shapes[i]));
			whole[at + 511] ^= 1;
			assert_false(pattern_is_proven(whole + at, 42, &place));
		}
	}
}

/* The share of what a store of 1 MiB blocks has already, of many units and of few. */
static void so_many_units_are_copies_as_was_asked_for(void **state)
{
	(void)state;
	static const uint64_t counts[] = {20, 100, 1000, 12345};

	for (uint8_t percent = 1; percent <= PATTERN_DEDUPE_MOST; percent++)
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct pattern_shape shape = {.dedupe = percent};
			uint64_t copies = 0, most = 0, home;
			for (uint64_t unit = 0; unit < counts[i]; unit++) {
				if (!pattern_shape_is_copy(shape, unit << 20, &home))
					continue;
				copies++;
				most = home >> 20 > most ? home >> 20 : most;
			}
			uint64_t there = copies ? copies - most - 1 : 0;
			double share = 100.0 * (double)there / (double)counts[i];
			double unit = 100.0 / (double)counts[i];
			if (share < percent - 2 * unit - 0.2 || share > percent + 2 * unit + 0.2)
				fail_msg("%u %% of %u: %f", percent, (unsigned)counts[i], share);
		}
}

static void copies_are_alike_in_all_generations_and_of_one_owner(void **state)
{
	(void)state;
	const struct pattern_shape some = {.dedupe = 40};
	static unsigned char other[2 << 20];

	pattern_fill(part, sizeof(part), pattern_key(1, 5, 0, some), 0);
	pattern_fill(other, sizeof(other), pattern_key(1, 5, 9, some), 2 << 20);
	assert_memory_equal(part, other, 1 << 20); /* a copy, and as far on another */
	assert_memory_not_equal(part + (1 << 20), other + (1 << 20), 4096);
	pattern_fill(other, sizeof(other), pattern_key(1, 6, 0, some), 0);
	assert_memory_not_equal(part, other, 4096);
}

/* No two pages alike and each as compressible as the other: else it would be dedupe, or show in
 * small blocks only. */
static void what_is_compressible_is_so_in_every_sector(void **state)
{
	(void)state;
	const struct pattern_shape half = {.compress = 50};
	size_t random_bytes = pattern_shape_random_bytes(half);

	pattern_fill(whole, 1 << 20, pattern_key(1, 5, 0, half), 0);
	for (size_t at = 0; at < 1 << 20; at += 512) {
		for (size_t i = random_bytes; i < 512; i++)
			assert_int_equal(whole[at + i], whole[at + random_bytes - 1]);
		assert_memory_not_equal(whole + at, whole + (at + 4096) % (1 << 20), 24);
	}
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
		cmocka_unit_test(a_shape_is_a_function_of_the_place_too),
		cmocka_unit_test(a_shape_is_packed_and_unpacked),
		cmocka_unit_test(a_sector_of_any_shape_says_whose_it_is),
		cmocka_unit_test(so_many_units_are_copies_as_was_asked_for),
		cmocka_unit_test(copies_are_alike_in_all_generations_and_of_one_owner),
		cmocka_unit_test(what_is_compressible_is_so_in_every_sector),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
