#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "controller/analysis/steady.h"

static void the_worked_rounds(void **state)
{
	static const struct {
		double y[5], range, excursion;
		bool is_steady;
	} cases[] = {
		{{1000, 1020, 990, 1010, 1005}, 2.985, 0, true},
		{{1000, 1030, 1060, 1090, 1110}, 10.397, 10.586, false},
		{{1000, 900, 1105, 1000, 1000}, 20.480, 3.996, false},
		{{100, 102, 98, 101, 99}, 4.0, -1.2, true},
		{{0, 0, 0, 0, 0}, 0, 0, true},
		/* both limits hold when they are just met */
		{{900, 1100, 1000, 1100, 900}, 20, 0, true},
		{{950, 975, 1000, 1025, 1050}, 10, 10, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct steady steady = steady_of_chunks(cases[i].y);
		if (fabs(100 * steady.range - cases[i].range) > 0.001 ||
		    fabs(100 * steady.excursion - cases[i].excursion) > 0.001 ||
		    steady.is_steady != cases[i].is_steady)
			fail_msg("row %zu: range %.4f %%, excursion %.4f %%, %s", i,
				 100 * steady.range, 100 * steady.excursion,
				 steady.is_steady ? "steady" : "not steady");
	}
}

/* fio's steadystate holds the largest distance from the mean against its limit, and the slope of
 * one interval; an excursion of the window is that slope times one interval fewer than it has. */
static void another_tools_figures_of_the_same_rounds(void **state)
{
	const double y[] = {100, 102, 98, 101, 99};
	struct steady steady = steady_of_chunks(y);
	double most = 0;

	(void)state;
	for (int i = 0; i < STEADY_CHUNKS; i++)
		most = fmax(most, fabs(steady.chunks[i] - steady.mean) / steady.mean);
	assert_true(fabs(100 * most - 2.0) < 1e-9);
	assert_true(fabs(100 * steady.excursion / (STEADY_CHUNKS - 1) + 0.30) < 1e-9);
	assert_true(fabs(100 * steady.excursion + 1.2) < 1e-9);
}

static void a_square_wave_is_steady_by_its_chunks(void **state)
{
	double samples[100];
	struct steady steady;

	(void)state;
	for (int i = 0; i < 100; i++)
		samples[i] = i % 5 < 3 ? 100 : 20;
	assert_true(steady_find(samples, 100, &steady));
	assert_true(steady.is_steady);
	assert_true(fabs(steady.mean - 68) < 1e-9);
}

static void fewer_than_ten_samples_in_a_chunk_say_nothing(void **state)
{
	double samples[54];
	struct steady steady;

	(void)state;
	for (int i = 0; i < 54; i++)
		samples[i] = 100;
	samples[0] = 1e9; /* 54 = 4 + 5 * 10: the first four are left out */
	assert_false(steady_find(samples, 49, &steady));
	assert_true(steady_find(samples, 54, &steady));
	assert_true(steady.is_steady);
}

/* A slope is of the whole window: 0.0971 % of the mean a second is 5.73 % over sixty samples, which
 * a limit of 0.1 % a sample would let pass at any length. */
static void the_excursion_is_of_the_whole_window(void **state)
{
	double samples[600];
	struct steady steady;

	(void)state;
	for (int i = 0; i < 600; i++)
		samples[i] = 1000 + 0.971 * (i - 29.5);
	assert_true(steady_find(samples, 60, &steady));
	assert_true(steady.is_steady);
	assert_true(fabs((samples[59] - samples[0]) / 1000 - 0.0573) < 5e-5);
	assert_true(steady_find(samples, 600, &steady));
	assert_false(steady.is_steady);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_excursion_is_of_the_whole_window),
		cmocka_unit_test(the_worked_rounds),
		cmocka_unit_test(another_tools_figures_of_the_same_rounds),
		cmocka_unit_test(a_square_wave_is_steady_by_its_chunks),
		cmocka_unit_test(fewer_than_ten_samples_in_a_chunk_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
