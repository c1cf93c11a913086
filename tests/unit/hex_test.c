/* Bytes as hexadecimal digits, there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/hex.h"

static void bytes_come_back_from_their_digits(void **state)
{
	unsigned char bytes[256], back[256];
	char text[513];

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (unsigned char)i;
	hex_format(text, bytes, sizeof(bytes));
	assert_memory_equal(text, "000102", 6);
	assert_string_equal(text + 506, "fdfeff");
	assert_true(hex_parse(back, sizeof(back), text));
	assert_memory_equal(bytes, back, sizeof(bytes));
}

static void what_is_no_digit_is_refused_and_leaves_zeros(void **state)
{
	static const char *const rows[] = {"", "0", "00f", "00fg", "00FF", "00 f", "00f\n", "-0ff"};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned char back[2] = {1, 1};
		if (hex_parse(back, sizeof(back), rows[i]))
			fail_msg("row '%s'", rows[i]);
		assert_true(back[0] == 0 && back[1] == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_back_from_their_digits),
		cmocka_unit_test(what_is_no_digit_is_refused_and_leaves_zeros),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
