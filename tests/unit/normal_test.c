#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/normal.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

static void quantiles_and_shares(void **state)
{
	(void)state;
	assert_near(normal_quantile(0.975), 1.959964, 1e-6);
	assert_near(normal_quantile(0.80), 0.841621, 1e-6);
	assert_near(normal_below(1.959964), 0.975, 1e-7);
	assert_true(isnan(normal_quantile(-1)));
}

/* Of tables: t(0.975; 1, 8, 30). */
static void students_p(void **state)
{
	(void)state;
	assert_near(student_p(12.7062, 1), 0.05, 1e-6);
	assert_near(student_p(2.30600, 8), 0.05, 1e-6);
	assert_near(student_p(-2.04227, 30), 0.05, 1e-6);
	assert_near(student_p(0, 5), 1, 1e-12);
}

/* Grubbs' limit for eight values at 5 %, 2.1266: its t has 0.05 / 8 beyond it. */
static void limits_of_single_outliers_among_eight(void **state)
{
	const double g = 2.1266, n = 8;
	double t = sqrt(n * (n - 2) * g * g / ((n - 1) * (n - 1) - n * g * g));

	(void)state;
	assert_near(student_p(t, n - 2), 0.05 / n, 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_and_shares),
		cmocka_unit_test(students_p),
		cmocka_unit_test(limits_of_single_outliers_among_eight),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
