#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/trials.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

static void read_sides(const char *text, bool *sides)
{
	for (int i = 0; text[i]; i++)
		sides[i] = text[i] == 'B';
}

static void one_side_before_the_other_is_confounded(void **state)
{
	static const struct {
		const char *order;
		bool confounded;
	} rows[] = {{"AABB", true},  {"BBA", true},       {"ABAB", false},
		    {"ABBA", false}, {"ABBABAAB", false}, {"AAAA", true}};
	bool sides[8];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_sides(rows[i].order, sides);
		assert_int_equal(trials_are_confounded(sides, (uint32_t)strlen(rows[i].order)),
				 rows[i].confounded);
	}
}

static void how_many_trials_are_needed(void **state)
{
	(void)state;
	assert_int_equal(trials_needed(0.02, 0.05), 4); /* 2.6: the floor */
	assert_int_equal(trials_needed(0.05, 0.05), 17);
	assert_int_equal(trials_needed(0.03, 0.02), 37);
	assert_near(trials_detectable(0.05, 5), 0.0886, 1e-4);
}

/* Benjamini & Hochberg's own way of counting. */
static void discoveries_among_several_tests(void **state)
{
	const double p[] = {.041, .008, .039, .001, .042, .06, .205, .074};

	(void)state;
	assert_int_equal(trials_discoveries(p, 8, 0.05), 2);
	assert_int_equal(trials_discoveries(p, 0, 0.05), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_side_before_the_other_is_confounded),
		cmocka_unit_test(how_many_trials_are_needed),
		cmocka_unit_test(discoveries_among_several_tests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
