#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/rank.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

/* Numbers by R's wilcox.test and by hand. */
static void u_and_p_of_worked_samples(void **state)
{
	static const struct {
		double a[6], b[6];
		uint32_t n, m;
		double u, p, shift;
	} rows[] = {
		{{10, 11, 12, 13, 14}, {15, 16, 17, 18, 19}, 5, 5, 0, 0.0079365, 5},
		{{101, 99, 100, 102, 98, 100.5},
		 {97, 96, 98.5, 97.5, 95, 99.5},
		 6,
		 6,
		 33,
		 0.0151515,
		 -3},
		{{1, 2, 3}, {4, 5, 6}, 3, 3, 0, 0.1, 3},
		{{1, 2, 2, 3}, {2, 3, 4, 4}, 4, 4, 2.5, 0.13417, 1}, /* ties: normal */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_near(rank_u(rows[i].a, rows[i].n, rows[i].b, rows[i].m), rows[i].u, 1e-12);
		assert_near(rank_p(rows[i].a, rows[i].n, rows[i].b, rows[i].m), rows[i].p, 1e-5);
		assert_near(rank_shift(rows[i].a, rows[i].n, rows[i].b, rows[i].m, 0.95).shift,
			    rows[i].shift, 1e-9);
	}
}

static void exact_p_at_the_border_of_5_per_cent(void **state)
{
	(void)state;
	assert_near(rank_p_exact(5, 6, 6), 0.041126, 1e-6);
	assert_near(rank_p_exact(23, 10, 10), 0.043257, 1e-6);
	assert_near(rank_p_exact(24, 10, 10), 0.052426, 1e-6);
}

/* 2 / C(2n, n): three a side cannot be told apart at 5 %. */
static void smallest_p_by_values_a_side(void **state)
{
	static const struct {
		uint32_t n;
		double p;
	} rows[] = {{3, 0.1},     {4, 0.02857}, {5, 0.00794}, {6, 0.00216},
		    {8, 1.55e-4}, {9, 4.1e-5},  {10, 1.08e-5}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(rank_p_exact(0, rows[i].n, rows[i].n), rows[i].p, rows[i].p / 100);
}

/* One new value below all N of a history: 1 / (N + 1), of one side alone. With fewer than 19 it
 * cannot come to 5 %. */
static void one_new_value_against_a_history(void **state)
{
	(void)state;
	assert_near(rank_p_exact(0, 1, 9) / 2, 0.1, 1e-12);
	assert_near(rank_p_exact(0, 1, 19) / 2, 0.05, 1e-12);
	assert_near(rank_p_exact(0, 1, 49) / 2, 0.02, 1e-12);
}

static void interval_of_the_shift(void **state)
{
	const double a[] = {101, 99, 100, 102, 98, 100.5}, b[] = {97, 96, 98.5, 97.5, 95, 99.5};
	struct rank_shift shift = rank_shift(a, 6, b, 6, 0.95);

	(void)state;
	assert_true(shift.has_interval);
	assert_int_equal(shift.rank, 6);
	assert_near(shift.low, -5.0, 1e-12);
	assert_near(shift.high, -0.5, 1e-12);
	assert_false(rank_shift(a, 3, b, 3, 0.95).has_interval);
	assert_true(isnan(rank_shift(a, 0, b, 3, 0.95).shift));
}

static void many_equal_values_are_no_difference(void **state)
{
	const double a[] = {5, 5, 5, 5}, b[] = {5, 5, 5, 5};

	(void)state;
	assert_near(rank_p(a, 4, b, 4), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u_and_p_of_worked_samples),
		cmocka_unit_test(exact_p_at_the_border_of_5_per_cent),
		cmocka_unit_test(smallest_p_by_values_a_side),
		cmocka_unit_test(one_new_value_against_a_history),
		cmocka_unit_test(interval_of_the_shift),
		cmocka_unit_test(many_equal_values_are_no_difference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
