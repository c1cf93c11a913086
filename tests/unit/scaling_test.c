#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/scaling.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

static const double n[] = {1, 2, 4, 8, 16, 32};

/* Gunther's law with lambda 100, sigma 0.05, kappa 0.001. */
static void the_law_is_found_again(void **state)
{
	static const double wanted[] = {100, 190.114, 344.234, 568.990, 804.020, 903.444};
	const struct scaling law = {.lambda = 100, .sigma = 0.05, .kappa = 0.001};
	struct scaling found;
	double x[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		x[i] = scaling_at(&law, n[i]);
		assert_near(x[i], wanted[i], 0.0006);
	}
	assert_true(scaling_fit(n, x, 6, &found));
	assert_near(found.sigma, 0.05, 1e-9);
	assert_near(found.kappa, 0.001, 1e-10);
	assert_near(found.peak, 30.82, 0.005);
	assert_false(scaling_fit(n, x, 3, &found));
}

static void a_ceiling_is_another_shape(void **state)
{
	const double x[] = {100, 200, 400, 500, 500, 500};
	struct scaling found;
	double most = 0;

	(void)state;
	assert_true(scaling_fit(n, x, 6, &found));
	assert_true(found.kappa >= 0 && found.sigma >= 0);
	assert_near(scaling_ceiling_residual(n, x, 6, &most), 0, 1e-9);
	assert_near(most, 500, 0);
	assert_true(found.residual > 100);
}

/* Trapezoids between the points alone: 470 / 400. */
static void overall_response_time(void **state)
{
	const double load[] = {100, 200, 300, 400}, ms[] = {1.0, 1.2, 1.6, 2.8};

	(void)state;
	assert_near(scaling_response_time(load, ms, 4), 1.175, 1e-12);
	assert_true(isnan(scaling_response_time(load, ms, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_law_is_found_again),
		cmocka_unit_test(a_ceiling_is_another_shape),
		cmocka_unit_test(overall_response_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
