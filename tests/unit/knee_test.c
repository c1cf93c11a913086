#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/knee.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

#define SETTINGS 7

static const double x[SETTINGS] = {1, 2, 4, 8, 16, 32, 64};
static double y[SETTINGS] = {100, 190, 340, 520, 600, 610, 612};

static struct knee of(double loss)
{
	struct knee_setting settings[SETTINGS];

	for (int i = 0; i < SETTINGS; i++)
		settings[i] = (struct knee_setting){
			.setting = x[i], .values = &y[i], .count = 1, .median = y[i]};
	return knee_find(settings, SETTINGS, loss);
}

static void the_knee_is_the_smallest_as_good_as_the_best(void **state)
{
	(void)state;
	assert_int_equal(of(0.02).at, 4); /* 16, from 599.76 on */
	assert_int_equal(of(0.05).at, 4);
	assert_int_equal(of(0.0065).at, 5); /* 32, from 608 on */
	assert_int_equal(of(0.0).at, 6);
	assert_false(of(0.05).is_proven);
	assert_true(of(0.9).is_flat);
	assert_false(of(0.9).found);
}

/* Satopaa et al.: it depends on the scale of x. */
static void kneedle_on_two_scales(void **state)
{
	static const double on_x[] = {0, .1599, .4211, .7092, .7385, .504, 0};
	static const double on_log[] = {0, .0091, .1354, .3203, .3099, .1628, 0};
	double d[SETTINGS], logs[SETTINGS];

	(void)state;
	assert_int_equal(knee_kneedle(x, y, SETTINGS, d), 4);
	for (int i = 0; i < SETTINGS; i++)
		assert_near(d[i], on_x[i], 6e-5);
	for (int i = 0; i < SETTINGS; i++)
		logs[i] = log2(x[i]);
	assert_int_equal(knee_kneedle(logs, y, SETTINGS, d), 3);
	for (int i = 0; i < SETTINGS; i++)
		assert_near(d[i], on_log[i], 6e-5);
	assert_int_equal(knee_kneedle(x, y, 2, d), UINT32_MAX);
}

/* Five repeats each: the bound of the loss counts, not the medians alone. */
static void repeats_prove_a_knee_or_keep_it_back(void **state)
{
	double best[] = {100, 101, 99, 100.5, 99.5}, close[] = {99, 100, 98, 99.5, 98.5};
	double rough[] = {97, 104, 90, 99, 91}, low[] = {50, 51, 49, 50, 50};
	struct knee_setting fine[] = {{1, low, 5, 50}, {2, close, 5, 99}, {4, best, 5, 100}};
	struct knee_setting wide[] = {{1, low, 5, 50}, {2, rough, 5, 97}, {4, best, 5, 100}};

	(void)state;
	struct knee knee = knee_find(fine, 3, 0.05);
	assert_int_equal(knee.at, 1);
	assert_true(knee.is_proven);
	knee = knee_find(wide, 3, 0.05);
	assert_int_equal(knee.at, 2);
}

static void too_few_settings_have_none(void **state)
{
	struct knee_setting settings[] = {{1, &y[0], 1, 100}, {2, &y[1], 1, 190}};

	(void)state;
	assert_false(knee_find(settings, 2, 0.05).found);
	assert_false(knee_find(settings, 0, 0.05).found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_knee_is_the_smallest_as_good_as_the_best),
		cmocka_unit_test(kneedle_on_two_scales),
		cmocka_unit_test(repeats_prove_a_knee_or_keep_it_back),
		cmocka_unit_test(too_few_settings_have_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
