#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/correlation.h"
#include "controller/analysis/periodic.h"
#include "tests/unit/seeded.h"

#define MOST 4096

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.9g is not %.9g +- %g", is, want, within);
}

static uint32_t repeat(double *samples, const double *cycle, uint32_t length, uint32_t times)
{
	for (uint32_t i = 0; i < length * times; i++)
		samples[i] = cycle[i % length];
	return length * times;
}

static void autocorrelation_of_the_worked_wave(void **state)
{
	static const double cycle[] = {1, 1, 1, 0, 0};
	double samples[60], r[11];

	(void)state;
	uint32_t count = repeat(samples, cycle, 5, 12);
	assert_true(correlation_of_itself(samples, count, false, r, 11));
	assert_near(r[0], 1, 1e-9);
	assert_near(r[1], 0.1833, 0.0001);
	assert_near(r[2], -0.6333, 0.0001);
	assert_near(r[3], -0.6444, 0.0001);
	assert_near(r[4], 0.1361, 0.0001);
	assert_near(r[5], 0.9167, 0.0001);
	assert_near(r[10], 0.8333, 0.0001);
	assert_true(correlation_of_itself(samples, count, true, r, 11));
	assert_near(r[5], 0.9158, 0.0001);
	assert_near(r[10], 0.8317, 0.0001);
}

static void a_sawtooth_has_the_worked_autocorrelation(void **state)
{
	static const double cycle[] = {0, 1, 2, 3, 4};
	double samples[60], r[6];

	(void)state;
	uint32_t count = repeat(samples, cycle, 5, 12);
	assert_true(correlation_of_itself(samples, count, false, r, 6));
	assert_near(r[5], 0.9167, 0.0001);
}

static void a_constant_has_no_autocorrelation(void **state)
{
	double samples[40], r[5];

	(void)state;
	for (int i = 0; i < 40; i++)
		samples[i] = 123456789.1;
	assert_false(correlation_of_itself(samples, 40, true, r, 5));
	assert_false(correlation_of_itself(samples, 40, false, r, 5));
}

static void otsu_of_the_worked_levels(void **state)
{
	static const double cycle[] = {100, 100, 100, 20, 20};
	double samples[60];

	(void)state;
	struct split split = periodic_split(samples, repeat(samples, cycle, 5, 12));
	assert_near(split.eta, 1, 1e-9);
	assert_near(split.duty, 0.60, 1e-9);
	assert_near(split.depth, 0.80, 1e-9);
	assert_near(split.high, 100, 1e-9);
	double mean = split.duty * split.high + (1 - split.duty) * split.low;
	assert_near(mean, 68, 1e-9);
	assert_near(split.high / mean, 1.4706, 0.0001);
	for (int i = 0; i < 60; i++)
		samples[i] = 7;
	split = periodic_split(samples, 60);
	assert_near(split.eta, 0, 0);
	assert_near(split.depth, 0, 0);
}

static void eta_tells_shapes_apart(void **state)
{
	struct random random = {.state = 7};
	double samples[MOST];

	(void)state;
	for (int i = 0; i < MOST; i++)
		samples[i] = i;
	assert_near(periodic_split(samples, MOST).eta, 0.75, 0.001);
	for (int i = 0; i < MOST; i++)
		samples[i] = 100 + seeded_normal(&random);
	assert_near(periodic_split(samples, MOST).eta, 0.637, 0.03);
}

/* Square waves with noise of 2 %: `low` of every `period` samples at 30 % of the level. */
static void period_duty_and_depth_of_square_waves(void **state)
{
	static const struct {
		uint32_t period, low, count;
		bool is_found, is_dip;
	} cases[] = {
		{5, 2, 25, true, false},   {5, 2, 24, false, false}, {50, 20, 300, true, false},
		{120, 2, 600, true, true}, {4, 2, 400, true, false}, {20, 2, 200, true, false},
		{40, 2, 400, true, true},
	};
	double samples[600];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct random random = {.state = i};
		struct periodic periodic;
		for (uint32_t t = 0; t < cases[i].count; t++)
			samples[t] = (t % cases[i].period < cases[i].low ? 30 : 100) *
				     (1 + 0.02 * seeded_normal(&random));
		if (periodic_find(samples, cases[i].count, &periodic) != cases[i].is_found)
			fail_msg("row %zu: %s", i, cases[i].is_found ? "not found" : "found");
		if (!cases[i].is_found)
			continue;
		/* A period under five samples is seen at its multiple. */
		double want = cases[i].period < 5 ? 2 * cases[i].period : cases[i].period;
		assert_near(periodic.period, want, 0.05 * want);
		assert_near(1 - periodic.split.duty, (double)cases[i].low / cases[i].period, 0.01);
		assert_near(periodic.split.depth, 0.70, 0.02);
		assert_true(periodic.is_square);
		assert_int_equal(periodic.is_dip, cases[i].is_dip);
	}
}

static void a_sawtooth_has_a_period_and_no_two_levels(void **state)
{
	static const double cycle[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	double samples[120];
	struct periodic periodic;

	(void)state;
	assert_true(periodic_find(samples, repeat(samples, cycle, 10, 12), &periodic));
	assert_near(periodic.period, 10, 0.1);
	assert_false(periodic.is_square);
}

static double level_noise(struct random *random, double before, int kind)
{
	switch (kind) {
	case 0: /* white */
		return 100 + 5 * seeded_normal(random);
	case 1: /* slow drift */
		return before + seeded_normal(random);
	case 2: /* drift that comes back */
		return 100 + 0.95 * (before - 100) + seeded_normal(random);
	}
	return seeded_even(random) < 0.02 ? 20 : 100; /* dips in no rhythm */
}

/* 2,000 series of each kind, of 50 to 1,000 samples. */
static void noise_and_drift_have_no_period(void **state)
{
	struct random random = {.state = 42};
	double samples[1000];

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		uint32_t found = 0;
		for (int run = 0; run < 2000; run++) {
			uint32_t count = 50 + (uint32_t)random_below(&random, 951);
			struct periodic periodic;
			double at = 100;
			for (uint32_t t = 0; t < count; t++)
				samples[t] = at = level_noise(&random, at, kind);
			found += periodic_find(samples, count, &periodic);
		}
		if (found > 10)
			fail_msg("noise of kind %d: %u of 2000 have a period", kind, found);
	}
}

static void a_sawtooth_is_told_from_a_square_wave(void **state)
{
	double saw[60], back[60], square[60];
	struct periodic found;

	(void)state;
	for (int i = 0; i < 60; i++) {
		saw[i] = i % 5;
		back[i] = 4 - i % 5;
		square[i] = i % 5 < 3 ? 1 : 0;
	}
	assert_true(fabs(periodic_skew(saw, 60) + 1.610) < 0.001);
	assert_true(fabs(periodic_skew(back, 60) - 1.610) < 0.001);
	assert_true(fabs(periodic_skew(square, 60) - 0.012) < 0.001);
	assert_true(periodic_find(saw, 60, &found));
	assert_true(!found.is_square && found.skew < -PERIODIC_SAWTOOTH_SKEW);
	assert_true(periodic_find(square, 60, &found));
	assert_true(found.is_square);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sawtooth_is_told_from_a_square_wave),
		cmocka_unit_test(autocorrelation_of_the_worked_wave),
		cmocka_unit_test(a_sawtooth_has_the_worked_autocorrelation),
		cmocka_unit_test(a_constant_has_no_autocorrelation),
		cmocka_unit_test(otsu_of_the_worked_levels),
		cmocka_unit_test(eta_tells_shapes_apart),
		cmocka_unit_test(period_duty_and_depth_of_square_waves),
		cmocka_unit_test(a_sawtooth_has_a_period_and_no_two_levels),
		cmocka_unit_test(noise_and_drift_have_no_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
