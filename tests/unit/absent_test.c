/* Hosts that did not come, a line for each reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/memory.h"
#include "controller/absent.h"

static void hosts_of_one_reason_are_one_line(void **state)
{
	static const struct absent absent[] = {
		{"store01", "tcp://store01:7411", "refused"},
		{"store02", "tcp://store02:7411", "silent"},
		{"store03", "tcp://store03:7411", "refused"},
		{"db", "tcp://db:7411", "other build"},
		{"store04", "tcp://store04:7411", "refused"},
		{"store05", "tcp://store05:7411", "silent"},
	};
	static const char *const want[] = {
		"hosts store[01,03-04]: refused",
		"hosts store[02,05]: silent",
		"host 'db' (tcp://db:7411): other build",
	};
	uint32_t count;

	(void)state;
	char **lines = absent_lines(absent, 6, &count);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(lines[i], want[i]);
		free(lines[i]);
	}
	free(lines);
}

static void all_of_many_are_named(void **state)
{
	enum { MANY = 3000 };
	struct absent *absent = mem_new(MANY, sizeof(*absent));
	uint32_t count;

	(void)state;
	for (int i = 0; i < MANY; i++)
		absent[i] = (struct absent){mem_format("n%04d", i), "", "silent"};
	char **lines = absent_lines(absent, MANY, &count);
	assert_int_equal(count, 1);
	assert_string_equal(lines[0], "hosts n[0000-2999]: silent");
	free(lines[0]);
	free(lines);
	for (int i = 0; i < MANY; i++)
		free((char *)absent[i].name);
	free(absent);
}

static void nobody_is_no_line(void **state)
{
	uint32_t count;

	(void)state;
	free(absent_lines(NULL, 0, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_of_one_reason_are_one_line),
		cmocka_unit_test(all_of_many_are_named),
		cmocka_unit_test(nobody_is_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
