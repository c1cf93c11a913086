#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/utf8.h"

static void valid_bytes_end_before_the_first_that_are_none(void **state)
{
	static const struct {
		const char *text;
		size_t size, valid;
	} cases[] = {
		{"", 0, 0},
		{"abc", 3, 3},
		{"a\0b", 3, 3},
		{"\xc3\xa4", 2, 2},
		{"\xe2\x82\xac", 3, 3},
		{"\xf0\x9f\x92\xbe", 4, 4},
		{"a\xc3", 2, 1},            /* cut off */
		{"ab\xf0\x9f\x92", 5, 2},   /* cut off */
		{"\x80", 1, 0},             /* goes on with nothing */
		{"\xc3\x28", 2, 0},         /* does not go on */
		{"\xc0\x80", 2, 0},         /* overlong */
		{"\xc1\xbf", 2, 0},         /* overlong */
		{"\xe0\x9f\xbf", 3, 0},     /* overlong */
		{"\xf0\x8f\xbf\xbf", 4, 0}, /* overlong */
		{"\xed\x9f\xbf", 3, 3},
		{"\xed\xa0\x80", 3, 0}, /* surrogate */
		{"\xed\xbf\xbf", 3, 0}, /* surrogate */
		{"\xee\x80\x80", 3, 3},
		{"\xf4\x8f\xbf\xbf", 4, 4},
		{"\xf4\x90\x80\x80", 4, 0},     /* beyond U+10FFFF */
		{"\xf8\x88\x80\x80\x80", 5, 0}, /* five bytes */
		{"\xff", 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (utf8_valid(cases[i].text, cases[i].size) != cases[i].valid)
			fail_msg("case %zu: %zu, not %zu", i,
				 utf8_valid(cases[i].text, cases[i].size), cases[i].valid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_bytes_end_before_the_first_that_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
