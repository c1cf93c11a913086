#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

static void what_a_terminal_obeys_is_not_shown(void **state)
{
	static const struct {
		const char *text, *shown; /* NULL: the same */
	} cases[] = {
		{"", NULL},
		{"plain, gr\xc3\xb6\xc3\x9f"
		 "e \xe2\x80\xa6 \xf0\x9f\x92\xbe",
		 NULL},
		{"a\x1b[2J\nb\x7f", "a?[2J?b?"},
		{"\xc2\x9b"
		 "2J",
		 "?2J"},
		{"\xc2\xa0", NULL},
		{"\xe2\x80\xae"
		 "x\xe2\x81\xa9",
		 "?x?"},
		{"\xff\x80 \xc3", "?? ?"},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want = cases[i].shown ? cases[i].shown : cases[i].text;
		strcpy(text, cases[i].text);
		assert_int_equal(utf8_is_shown(text), !cases[i].shown);
		utf8_make_shown(text);
		assert_string_equal(text, want);
		assert_true(utf8_is_shown(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_bytes_end_before_the_first_that_are_none),
		cmocka_unit_test(what_a_terminal_obeys_is_not_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
