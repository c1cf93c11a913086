/* Lists of processors: what people and kernels write, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "common/cpu_list.h"

static void lists_are_read_and_written_back_in_order(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"0", "0"},           {"0-3,8", "0-3,8"}, {"8,0-3", "0-3,8"}, {"3,2,1", "1-3"},
		{"1-4,2-6,6", "1-6"}, {"5-5", "5"},       {" 0-1\n", "0-1"},  {"65535", "65535"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list list;
		struct error err;
		char text[64];
		if (cpu_list_parse(&list, rows[i].text, &err))
			fail_msg("'%s': %s", rows[i].text, err.text);
		assert_string_equal(cpu_list_format(text, sizeof(text), &list), rows[i].want);
		cpu_list_release(&list);
	}
}

static void what_is_no_list_is_refused_with_a_right_one(void **state)
{
	(void)state;
	static const char *const rows[] = {"",      " ",    ",",     "1,",          ",1",     "1-",
					   "-1",    "3-1",  "1 2",   "0x1",         "1.5",    "a",
					   "65536", "1,,2", "1-2-3", "99999999999", "0-99999"};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list list;
		struct error err;
		if (!cpu_list_parse(&list, rows[i], &err))
			fail_msg("'%s' was taken", rows[i]);
		assert_non_null(strstr(err.text, "0-3,8"));
		assert_int_equal(list.count, 0);
		cpu_list_release(&list);
	}
}

static void common_ones_are_those_of_both(void **state)
{
	(void)state;
	struct cpu_list a, b;
	struct error err;
	char text[64];
	assert_int_equal(cpu_list_parse(&a, "0-5", &err), 0);
	assert_int_equal(cpu_list_parse(&b, "4-9,1", &err), 0);
	struct cpu_list common = cpu_list_common(&a, &b);
	assert_string_equal(cpu_list_format(text, sizeof(text), &common), "1,4-5");
	cpu_list_release(&a);
	cpu_list_release(&b);
	cpu_list_release(&common);
	assert_string_equal(cpu_list_format(text, sizeof(text), &common), "none");
}

static void a_list_that_does_not_fit_is_cut_and_says_so(void **state)
{
	(void)state;
	struct cpu_list list;
	struct error err;
	char text[12];
	assert_int_equal(cpu_list_parse(&list, "0,2,4,6,8,10,12", &err), 0);
	cpu_list_format(text, sizeof(text), &list);
	assert_true(strlen(text) < sizeof(text));
	assert_non_null(strstr(text, "…"));
	assert_int_equal(strncmp(text, "0,2", 3), 0);
	cpu_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_written_back_in_order),
		cmocka_unit_test(what_is_no_list_is_refused_with_a_right_one),
		cmocka_unit_test(common_ones_are_those_of_both),
		cmocka_unit_test(a_list_that_does_not_fit_is_cut_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
