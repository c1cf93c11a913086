#include "controller/clock_lines.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/random.h"

#define FACTS 12

static struct clock_program program;
static struct clock_fact above[FACTS], below[FACTS];

static int release(void **state)
{
	(void)state;
	clock_hull_release(&program.above);
	clock_hull_release(&program.below);
	return 0;
}

/* Around a line, within `noise` ns, up to 20 s to each side. */
static void fill(struct random *r, double slope, uint64_t noise)
{
	for (uint32_t i = 0; i < FACTS; i++) {
		double x = (double)random_below(r, 40000000000) - 2e10;
		double y = (double)random_below(r, 40000000000) - 2e10;
		above[i] = (struct clock_fact){x, slope * x + (double)random_below(r, noise), i};
		below[i] = (struct clock_fact){y, -slope * y + (double)random_below(r, noise), i};
	}
	program.flattest = program.steepest = (struct clock_pair){NULL, NULL};
}

/* The least that any of the facts leaves: by looking at each of them. */
static double least(const struct clock_fact *facts, double t, double slope)
{
	double value = INFINITY;

	for (uint32_t i = 0; i < FACTS; i++)
		value = fmin(value, clock_fact_limit(&facts[i], t, slope));
	return value;
}

struct answer {
	struct clock_lines lines;
	bool any;
};

static void consider(struct answer *answer, double t, double slope)
{
	double hi = least(above, t, slope), lo = -least(below, t, -slope);

	if (fabs(slope) > CLOCK_HULL_DRIFT || hi - lo < -1e-5)
		return;
	if (!answer->any)
		answer->lines = (struct clock_lines){lo, hi, slope, slope};
	answer->any = true;
	answer->lines.lo = fmin(answer->lines.lo, lo);
	answer->lines.hi = fmax(answer->lines.hi, hi);
	answer->lines.drift_lo = fmin(answer->lines.drift_lo, slope);
	answer->lines.drift_hi = fmax(answer->lines.drift_hi, slope);
}

/* Where two facts are equally strict; every optimum of a linear program is at such a slope. */
static double meeting(const struct clock_fact *a, const struct clock_fact *b, double t, double sign)
{
	return (clock_fact_limit(a, t, 0) - sign * clock_fact_limit(b, t, 0)) / (a->at - b->at);
}

static struct answer by_trying_all(double t)
{
	struct answer answer = {.any = false};

	consider(&answer, t, CLOCK_HULL_DRIFT);
	consider(&answer, t, -CLOCK_HULL_DRIFT);
	for (uint32_t i = 0; i < FACTS; i++)
		for (uint32_t k = 0; k < FACTS; k++) {
			consider(&answer, t, meeting(&above[i], &below[k], t, -1));
			if (i == k)
				continue;
			consider(&answer, t, meeting(&above[i], &above[k], t, 1));
			consider(&answer, t, -meeting(&below[i], &below[k], t, 1));
		}
	return answer;
}

static void check(double t)
{
	struct answer want = by_trying_all(t);
	struct clock_lines got;
	double lo, hi;

	assert_int_equal(clock_lines_at(&program, t, &got), want.any);
	assert_int_equal(clock_lines_values(&program, t, &lo, &hi), want.any);
	if (!want.any)
		return;
	assert_true(fabs(got.lo - want.lines.lo) < 1e-3 && fabs(got.hi - want.lines.hi) < 1e-3);
	assert_true(fabs(lo - want.lines.lo) < 1e-3 && fabs(hi - want.lines.hi) < 1e-3);
	assert_true(fabs(got.drift_lo - want.lines.drift_lo) < 1e-11);
	assert_true(fabs(got.drift_hi - want.lines.drift_hi) < 1e-11);
}

static void it_finds_what_trying_every_pair_finds(void **state)
{
	struct random r = {1};
	uint32_t possible = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		double slope = ((double)random_below(&r, 1000) - 500) * 1e-6;
		fill(&r, slope, round % 3 ? 100000 : 10000000);
		if (round % 4 == 0)
			below[3].value -= 150000;
		/* Sorts them: in the order of `at`, as trying does not care. */
		clock_hull_set(&program.above, above, FACTS);
		clock_hull_set(&program.below, below, FACTS);
		for (int i = 0; i < 5; i++)
			check((double)random_below(&r, 50000000000) - 2.5e10);
		possible += by_trying_all(0).any;
	}
	/* Both answers were called for. */
	print_message("%u of 3000 had a line\n", possible);
	assert_true(possible > 1000 && possible < 2900);
}

static void a_hull_keeps_what_can_bind_and_no_more(void **state)
{
	/* With gamma/2 = 0.25 ns per (ms * s): beneath the others by more than that, or not. */
	struct clock_fact facts[] = {
		{3e9, 0, 3}, {1e9, 0, 1}, {2e9, 200000, 2}, {2e9, 300000, 4}, {2e9, 100, 5}};

	(void)state;
	clock_hull_set(&program.above, facts, 5);
	assert_int_equal(program.above.count, 3);
	assert_int_equal(program.above.corners[0].fact.index, 1);
	assert_int_equal(program.above.corners[1].fact.index, 5);
	assert_int_equal(program.above.corners[2].fact.index, 3);
	assert_int_equal(clock_hull_binding(&program.above, 2e9, -1e-6)->index, 1);
	assert_int_equal(clock_hull_binding(&program.above, 2e9, 0)->index, 5);
	assert_int_equal(clock_hull_binding(&program.above, 2e9, 1e-6)->index, 3);
}

static void one_side_alone_says_nothing(void **state)
{
	struct clock_fact fact = {0, 0, 0};
	struct clock_lines lines;
	double lo, hi;

	(void)state;
	clock_hull_set(&program.above, &fact, 1);
	clock_hull_set(&program.below, &fact, 0);
	assert_false(clock_lines_at(&program, 0, &lines));
	assert_false(clock_lines_values(&program, 0, &lo, &hi));
	clock_hull_set(&program.above, &fact, 0);
	clock_hull_set(&program.below, &fact, 1);
	assert_false(clock_lines_at(&program, 0, &lines));
	assert_false(clock_lines_values(&program, 0, &lo, &hi));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_trying_every_pair_finds),
		cmocka_unit_test(a_hull_keeps_what_can_bind_and_no_more),
		cmocka_unit_test(one_side_alone_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
