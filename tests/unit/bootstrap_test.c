#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/bootstrap.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

#include "controller/analysis/normal.h"
#include "controller/analysis/stats.h"

static const double x[] = {.97, .98, .96, 1.01, .99, .97, .98, .95, .96, .98};

static void parts_of_the_worked_interval(void **state)
{
	(void)state;
	double a = bootstrap_acceleration(x, 10, stats_mean), z0 = normal_quantile(0.48);

	assert_near(stats_mean(x, 10), 0.975, 1e-12);
	assert_near(a, 0.0293218, 1e-7);
	assert_near(z0, -0.0501536, 1e-7);
	assert_near(bootstrap_level(0.025, z0, a), 0.0256842, 1e-6);
	assert_near(bootstrap_level(0.975, z0, a), 0.9757493, 1e-6);
}

/* scipy's BCa has [0.966, 0.987]. */
static void interval_of_the_mean(void **state)
{
	struct bootstrap found = bootstrap_interval(x, 10, stats_mean, 0.95, 1);

	(void)state;
	assert_near(found.value, 0.975, 1e-12);
	assert_near(found.low, 0.966, 0.001);
	assert_near(found.high, 0.987, 0.001);
	assert_near(bootstrap_interval(x, 10, stats_mean, 0.95, 1).low, found.low, 0);
}

static void few_or_equal_values(void **state)
{
	const double same[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

	(void)state;
	assert_true(isnan(bootstrap_interval(x, 9, stats_mean, 0.95, 1).low));
	assert_near(bootstrap_interval(same, 10, stats_mean, 0.95, 1).high, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_the_worked_interval),
		cmocka_unit_test(interval_of_the_mean),
		cmocka_unit_test(few_or_equal_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
