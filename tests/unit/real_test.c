#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/real.h"

static void text_is_as_short_as_it_can_be(void **state)
{
	static const struct {
		double value;
		const char *want;
	} cases[] = {
		{0, "0.0"},
		{0.1, "0.1"},
		{800, "800.0"},
		{-2.5, "-2.5"},
		{1.0 / 3, "0.3333333333333333"},
		{1e21, "1e+21"},
		{5e-324, "4.94065645841247e-324"},
		{123456789012345680.0, "1.2345678901234568e+17"},
	};
	char text[REAL_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(real_format(text, cases[i].value), cases[i].want);
}

static void any_finite_value_comes_back(void **state)
{
	struct random random = {.state = 1};
	char text[REAL_TEXT_SIZE];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = random_next(&random);
		double value, back;
		if (((bits >> 52) & 0x7ff) == 0x7ff)
			continue; /* not finite */
		memcpy(&value, &bits, sizeof(value));
		assert_true(real_parse(real_format(text, value), &back));
		assert_memory_equal(&value, &back, sizeof(value));
	}
}

static void only_decimal_numbers_are_parsed(void **state)
{
	static const char *const good[] = {"0", "-0", "10", "0.5", "-1.25e-3", "1E+6", "1e6"};
	static const char *const bad[] = {"",     "-",     "+1",      " 1",    "1 ",  "01",
					  "00.5", ".5",    "5.",      "1e",    "1e+", "0x1",
					  "nan",  "inf",   "-inf",    "1e999", "1,5", "1.5s",
					  "--1",  "1e1.5", "infinity"};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (!real_parse(good[i], &value))
			fail_msg("'%s' is refused", good[i]);
		assert_true(value == strtod(good[i], NULL));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (real_parse(bad[i], &value))
			fail_msg("'%s' is taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_as_short_as_it_can_be),
		cmocka_unit_test(any_finite_value_comes_back),
		cmocka_unit_test(only_decimal_numbers_are_parsed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
