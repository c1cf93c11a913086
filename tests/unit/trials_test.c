#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/rank.h"
#include "controller/analysis/stats.h"
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

/* By how much B seems to be above A where there is no difference and each trial is 10 above the one
 * before, or 10 i^2 above the first: what the order does not take out, ABBABAAB does. */
static void order_decides_what_a_drift_looks_like(void **state)
{
	static const struct {
		const char *order;
		double linear, quadratic; /* NAN: not worked */
		bool confounded;
	} rows[] = {{"AABB", 20, NAN, true},
		    {"ABAB", 10, NAN, false},
		    {"ABBA", 0, -20, false},
		    {"ABBABAAB", 0, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double linear[2][8], quadratic[2][8];
		uint32_t of[2] = {0, 0}, count = (uint32_t)strlen(rows[i].order);
		bool sides[8];
		read_sides(rows[i].order, sides);
		for (uint32_t trial = 0; trial < count; trial++) {
			uint32_t n = of[sides[trial]]++;
			linear[sides[trial]][n] = 10.0 * trial;
			quadratic[sides[trial]][n] = 10.0 * trial * trial;
		}
		assert_near(stats_mean(linear[1], of[1]) - stats_mean(linear[0], of[0]),
			    rows[i].linear, 1e-9);
		if (!isnan(rows[i].quadratic))
			assert_near(stats_mean(quadratic[1], of[1]) -
					    stats_mean(quadratic[0], of[0]),
				    rows[i].quadratic, 1e-9);
		/* Only the first is beyond repair, and is refused; four a side say nothing then. */
		assert_int_equal(trials_are_confounded(sides, count), rows[i].confounded);
		assert_true(rank_p(linear[0], of[0], linear[1], of[1]) > 0.05);
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
		cmocka_unit_test(order_decides_what_a_drift_looks_like),
		cmocka_unit_test(how_many_trials_are_needed),
		cmocka_unit_test(discoveries_among_several_tests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
