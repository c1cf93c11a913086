#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/step.h"
#include "tests/unit/seeded.h"

/* Levels one after the other, with noise of `cv`. */
struct level {
	double value;
	uint32_t count;
};

static uint32_t make(double *samples, const struct level *levels, double cv, uint64_t seed)
{
	struct random random = {.state = seed};
	uint32_t count = 0;

	for (; levels->count; levels++)
		for (uint32_t i = 0; i < levels->count; i++)
			samples[count++] = levels->value * (1 + cv * seeded_normal(&random));
	return count;
}

static void steps_on_either_side_of_each_border(void **state)
{
	static const struct {
		struct level levels[5];
		double cv;
		uint32_t at[4]; /* 0: no more */
	} cases[] = {
		{{{100, 30}, {70, 30}}, 0.01, {30}},
		{{{70, 30}, {100, 30}}, 0.01, {30}},
		{{{100, 30}, {79, 30}}, 0, {30}},            /* 21 % of the larger */
		{{{100, 30}, {81, 30}}, 0, {0}},             /* 19 % */
		{{{100, 40}, {20, 10}}, 0.01, {40}},         /* ten samples are a level */
		{{{100, 10}, {20, 10}}, 0.01, {10}},         /* and twenty enough */
		{{{100, 10}, {20, 9}}, 0.01, {0}},           /* one less is not */
		{{{100, 30}, {0, 9}, {100, 21}}, 0.01, {0}}, /* a stall is no level */
		{{{100, 30}, {0, 6}, {100, 270}}, 0.01, {0}},
		{{{100, 4}, {20, 7}, {100, 40}}, 0.01, {0}},
		{{{4500, 62}, {2000, 110}, {500, 1000}}, 0.01, {62, 172}},
		{{{100, 60}, {50, 60}, {100, 60}}, 0.01, {60, 120}},
		{{{100, 600}}, 0.02, {0}},
		{{{0, 100}}, 0, {0}},
	};
	double samples[1200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct step steps[STEPS_MOST];
		uint32_t count = make(samples, cases[i].levels, cases[i].cv, i);
		uint32_t found = step_find(samples, count, steps), wanted = 0;
		while (wanted < 4 && cases[i].at[wanted])
			wanted++;
		if (found != wanted)
			fail_msg("row %zu: %u steps, not %u", i, found, wanted);
		for (uint32_t s = 0; s < found; s++) {
			assert_int_equal(steps[s].at, cases[i].at[s]);
			double before = cases[i].levels[s].value;
			double after = cases[i].levels[s + 1].value;
			assert_true(fabs(steps[s].before - before) <= 0.02 * before);
			assert_true(fabs(steps[s].after - after) <= 0.02 * after);
		}
	}
}

static void a_level_of_nothing_is_nothing(void **state)
{
	double samples[130];
	struct step steps[STEPS_MOST];
	struct random random = {.state = 3};

	(void)state;
	for (uint32_t i = 0; i < 130; i++)
		samples[i] = i < 100 ? 5e8 * (1 + 0.02 * seeded_normal(&random)) : 0;
	assert_int_equal(step_find(samples, 130, steps), 1);
	assert_true(steps[0].after == 0 && !signbit(steps[0].after));
}

/* As rough as small buckets get: a split of noise always has two levels. */
static void noise_has_no_steps(void **state)
{
	static const double cvs[] = {0.02, 0.1, 0.3, 0.6};
	double samples[1000];

	(void)state;
	for (size_t c = 0; c < sizeof(cvs) / sizeof(cvs[0]); c++)
		for (uint64_t run = 0; run < 1000; run++) {
			struct level levels[] = {{100, 20 + (uint32_t)run % 980}, {0, 0}};
			struct step steps[STEPS_MOST];
			uint32_t count = make(samples, levels, cvs[c], run);
			if (step_find(samples, count, steps))
				fail_msg("CV %g, %u samples: a step", cvs[c], count);
		}
}

/* A fifth less and more, little by little, for as long as it is longer than a level. */
static void a_ramp_has_no_steps(void **state)
{
	double samples[600];
	struct step steps[STEPS_MOST];

	(void)state;
	for (uint32_t count = 60; count <= 600; count *= 10)
		for (int way = -1; way <= 1; way += 2) {
			for (uint32_t i = 0; i < count; i++)
				samples[i] = 100 + way * 60.0 * i / count;
			assert_int_equal(step_find(samples, count, steps), 0);
		}
}

static void more_steps_than_are_told_are_told_up_to_that(void **state)
{
	double samples[1000];
	struct step steps[STEPS_MOST];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		samples[i] = (double)(UINT64_C(1) << (i / 20)); /* doubles each 20 samples */
	uint32_t found = step_find(samples, 1000, steps);
	assert_true(found > 0 && found <= STEPS_MOST);
	for (uint32_t s = 1; s < found; s++)
		assert_true(steps[s].at > steps[s - 1].at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_on_either_side_of_each_border),
		cmocka_unit_test(a_level_of_nothing_is_nothing),
		cmocka_unit_test(noise_has_no_steps),
		cmocka_unit_test(a_ramp_has_no_steps),
		cmocka_unit_test(more_steps_than_are_told_are_told_up_to_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
