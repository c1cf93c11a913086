#include "common/framed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const texts[] = {"one", "", "three of them"};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static struct bytes pack(void)
{
	struct bytes bytes = {0};

	for (size_t i = 0; i < TEXTS; i++)
		framed_append(&bytes, texts[i], strlen(texts[i]));
	return bytes;
}

/* How many of the records are there, each as it was written. */
static size_t count(const unsigned char *data, size_t size)
{
	struct framed framed = {.data = data, .size = size};
	const unsigned char *record;
	size_t length, found = 0;

	while (framed_next(&framed, &record, &length)) {
		assert_true(found < TEXTS);
		assert_int_equal(length, strlen(texts[found]));
		assert_memory_equal(record, texts[found], length);
		found++;
	}
	return found;
}

static void the_crc_is_that_of_ieee_802_3(void **state)
{
	(void)state;
	assert_int_equal(framed_crc(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(framed_crc(framed_crc(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void what_is_written_is_read(void **state)
{
	struct bytes bytes = pack();

	(void)state;
	assert_int_equal(count(bytes.data, bytes.size), TEXTS);
	free(bytes.data);
}

static void a_torn_end_leaves_what_is_before_it(void **state)
{
	struct bytes bytes = pack();

	(void)state;
	for (size_t size = 0; size < bytes.size; size++) {
		size_t ends[] = {11, 19, 40}, whole = 0;
		while (whole < TEXTS && ends[whole] <= size)
			whole++;
		/* A copy of that size, so that a byte too many is seen to be read. */
		unsigned char *part = malloc(size ? size : 1);
		memcpy(part, bytes.data, size);
		assert_int_equal(count(part, size), whole);
		free(part);
	}
	free(bytes.data);
}

static void no_flipped_bit_goes_unseen(void **state)
{
	struct bytes bytes = pack();

	(void)state;
	for (size_t bit = 0; bit < 8 * bytes.size; bit++) {
		bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_true(count(bytes.data, bytes.size) <= (bit / 8 < 11   ? 0u
							      : bit / 8 < 19 ? 1u
									     : 2u));
		bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	free(bytes.data);
}

/* What a file system leaves where a write had not come to the disk. */
static void zeros_are_no_record(void **state)
{
	const unsigned char zeros[64] = {0};

	(void)state;
	assert_int_equal(count(zeros, sizeof(zeros)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_crc_is_that_of_ieee_802_3),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_torn_end_leaves_what_is_before_it),
		cmocka_unit_test(no_flipped_bit_goes_unseen),
		cmocka_unit_test(zeros_are_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
