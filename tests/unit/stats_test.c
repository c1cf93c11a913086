#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "controller/analysis/stats.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.9g is not %.9g +- %g", is, want, within);
}

static const double hosts[] = {1500, 1510, 1490, 1505, 1495, 1502, 1498, 900};

static void median_and_mad_of_the_worked_hosts(void **state)
{
	(void)state;
	double median = stats_median(hosts, COUNT(hosts));
	double mad = stats_median_distance(hosts, COUNT(hosts), median);
	double mean = stats_mean_distance(hosts, COUNT(hosts), median);

	assert_near(median, 1499, 0);
	assert_near(mad, 5, 0);
	assert_near(stats_modified_z(900, median, mad, mean), -80.805, 0.001);
	assert_near(stats_modified_z(900, median, 0, mean), -6.031, 0.001);
	for (uint32_t i = 0; i + 1 < COUNT(hosts); i++)
		assert_true(fabs(stats_modified_z(hosts[i], median, mad, mean)) <= 1.485);
}

/* (n - 1) / sqrt(n) is all that a plain z can be, however far off one of eight is: a limit of 3
 * finds nothing, where the modified one is far beyond 3.5. */
static void a_plain_z_does_not_reach_three_among_eight(void **state)
{
	const double values[] = {1500, 1500, 1500, 1500, 1500, 1500, 1500, 900};
	double mean = stats_mean(values, 8), squares = 0;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	assert_near((mean - 900) / sqrt(squares / 7), 2.475, 5e-4);
	double median = stats_median(values, 8), mad = stats_median_distance(values, 8, median);
	assert_near(mad, 0, 0);
	assert_true(stats_modified_z(900, median, mad, stats_mean_distance(values, 8, median)) <
		    -3.5);
}

static void inputs_are_left_as_they_were(void **state)
{
	(void)state;
	double values[] = {3, 1, 2};

	assert_near(stats_median(values, 3), 2, 0);
	assert_near(values[0], 3, 0);
	assert_near(values[1], 1, 0);
}

static void quartiles_are_of_type_7(void **state)
{
	(void)state;
	double sorted[COUNT(hosts)];

	memcpy(sorted, hosts, sizeof(sorted));
	stats_sort(sorted, COUNT(sorted));
	double low = stats_quantile(sorted, COUNT(sorted), 0.25);
	double high = stats_quantile(sorted, COUNT(sorted), 0.75);
	assert_near(low, 1493.75, 1e-9);
	assert_near(high, 1502.75, 1e-9);
	assert_near(low - 1.5 * (high - low), 1480.25, 1e-9);
	assert_near(low - 3.0 * (high - low), 1466.75, 1e-9);
	assert_near(stats_quantile(sorted, COUNT(sorted), 0), 900, 0);
	assert_near(stats_quantile(sorted, COUNT(sorted), 1), 1510, 0);
}

static void slope_of_the_worked_rounds(void **state)
{
	static const struct {
		double y[5], slope;
	} cases[] = {
		{{1000, 1020, 990, 1010, 1005}, 0},
		{{1000, 1030, 1060, 1090, 1110}, 28},
		{{1000, 900, 1105, 1000, 1000}, 10},
		{{100, 102, 98, 101, 99}, -0.3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_near(stats_slope(cases[i].y, 5), cases[i].slope, 1e-9);
	assert_near(stats_slope(cases[0].y, 1), 0, 0);
}

static void ranks_of_the_median_and_of_percentiles(void **state)
{
	static const struct {
		uint32_t count;
		double q;
		uint32_t low, high; /* 0: too few to say */
		double level;       /* 0: not looked at */
	} cases[] = {
		{3, 0.5, 0, 0, 0},      {4, 0.5, 0, 0, 0},         {5, 0.5, 0, 0, 0},
		{6, 0.5, 1, 6, 0.969},  {8, 0.5, 1, 8, 0.992},     {9, 0.5, 2, 8, 0.961},
		{10, 0.5, 2, 9, 0.979}, {1000, 0.99, 983, 997, 0}, {10000, 0.999, 9983, 9997, 0},
		{0, 0.5, 0, 0, 0},      {10, 0, 0, 0, 0},          {10, 1, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t low = 0, high = 0;
		double level = 0;
		bool found =
			stats_quantile_ranks(cases[i].count, cases[i].q, 0.95, &low, &high, &level);
		if (found != (cases[i].low > 0) ||
		    (found && (low != cases[i].low || high != cases[i].high)))
			fail_msg("n = %u, q = %g: %s [%u, %u]", cases[i].count, cases[i].q,
				 found ? "found" : "none", low, high);
		if (cases[i].level > 0)
			assert_near(level, cases[i].level, 0.0006);
	}
}

/* What the interval of a median leaves out is the smallest p of a sign test over as many pairs:
 * with five it cannot come under 5 %, with six it can. */
static void six_pairs_are_the_fewest_for_a_sign_test(void **state)
{
	uint32_t low, high;
	double level;

	(void)state;
	assert_true(stats_quantile_ranks(6, 0.5, 0.95, &low, &high, &level));
	assert_near(1 - level, 0.03125, 1e-12);
	assert_false(stats_quantile_ranks(5, 0.5, 0.95, &low, &high, &level));
	assert_true(stats_quantile_ranks(5, 0.5, 0.93, &low, &high, &level));
	assert_near(1 - level, 0.0625, 1e-12);
}

static void interval_of_the_worked_median(void **state)
{
	static const double sorted[] = {97, 98, 99, 99.5, 100, 100.2, 100.5, 101, 102, 103};
	uint32_t low, high;

	(void)state;
	assert_near(stats_median(sorted, 10), 100.1, 1e-9);
	assert_true(stats_quantile_ranks(10, 0.5, 0.95, &low, &high, NULL));
	assert_near(sorted[low - 1], 98, 0);
	assert_near(sorted[high - 1], 102, 0);
}

static void nothing_has_no_figures(void **state)
{
	(void)state;
	assert_true(isnan(stats_mean(NULL, 0)));
	assert_true(isnan(stats_median(NULL, 0)));
	assert_true(isnan(stats_quantile(NULL, 0, 0.5)));
	assert_true(isnan(stats_mean_distance(NULL, 0, 1)));
	assert_true(isnan(stats_slope(NULL, 0)));
}

static void no_spread_makes_anything_else_infinitely_far(void **state)
{
	(void)state;
	assert_near(stats_modified_z(5, 5, 0, 0), 0, 0);
	assert_true(stats_modified_z(6, 5, 0, 0) == INFINITY);
	assert_true(stats_modified_z(4, 5, 0, 0) == -INFINITY);
}

/* Of rates over equal times the plain mean, over equal amounts the harmonic, of ratios the
 * geometric (Hoefler & Belli, SC'15). */
static void means_of_rates_and_ratios(void **state)
{
	const double ratios[] = {1.1, 0.9, 1.0}, rates[] = {60, 30};

	(void)state;
	assert_near(stats_geometric_mean(ratios, 3), 0.99666, 5e-6);
	assert_near(stats_harmonic_mean(rates, 2), 40, 1e-9);
	assert_true(isnan(stats_geometric_mean(ratios, 0)) &&
		    isnan(stats_harmonic_mean(ratios, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_and_mad_of_the_worked_hosts),
		cmocka_unit_test(a_plain_z_does_not_reach_three_among_eight),
		cmocka_unit_test(inputs_are_left_as_they_were),
		cmocka_unit_test(quartiles_are_of_type_7),
		cmocka_unit_test(slope_of_the_worked_rounds),
		cmocka_unit_test(ranks_of_the_median_and_of_percentiles),
		cmocka_unit_test(six_pairs_are_the_fewest_for_a_sign_test),
		cmocka_unit_test(interval_of_the_worked_median),
		cmocka_unit_test(means_of_rates_and_ratios),
		cmocka_unit_test(nothing_has_no_figures),
		cmocka_unit_test(no_spread_makes_anything_else_infinitely_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
