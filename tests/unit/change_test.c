#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "controller/analysis/change.h"

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.10g, not %.10g +- %g", is, want, within);
}

static const double z[] = {10, 11, 10, 11, 10, 20, 21, 20, 21, 20};

/* Matteson & James's statistic, by hand. */
static void divergence_of_the_worked_history(void **state)
{
	static const double wanted[] = {5.6, 9.7143, 18.8, 29.12, 47.0, 30.56, 18.2, 10.2286, 4.7};

	(void)state;
	for (uint32_t tau = 1; tau < 10; tau++)
		assert_near(change_divergence(z, 10, tau), wanted[tau - 1], 5e-5);
	/* MongoDB's tool takes the means of a side's distances over all pairs, each value with
	 * itself too: 0.6 of four fifths a side. Its figure for the same split is 47.6. */
	assert_near(change_divergence(z, 10, 5) + 2.5 * 2 * (0.6 - 0.6 * 4 / 5), 47.6, 1e-9);
}

static void the_change_is_where_the_new_level_begins(void **state)
{
	struct change change;
	double p;

	(void)state;
	assert_true(change_find(z, 10, 0.05, &change));
	assert_int_equal(change.at, 5);
	assert_near(change.divergence, 47.0, 1e-9);
	assert_near(change_t(z, 10, 5, &p), -28.8675, 1e-4);
	assert_near(p, 2.24e-9, 1e-11);
}

static void noise_and_a_fresh_change_do_not_count(void **state)
{
	const double noise[] = {10, 11, 10, 11, 10, 11, 10, 11, 10, 11};
	struct change change;

	(void)state;
	assert_false(change_find(noise, 10, 0.05, &change));
	assert_false(change_find(z, 9, 0.05, &change)); /* four values after it */
	assert_false(change_find(z, 10, 2, &change));   /* not as large as asked */
	assert_false(change_find(z, 0, 0.05, &change));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divergence_of_the_worked_history),
		cmocka_unit_test(the_change_is_where_the_new_level_begins),
		cmocka_unit_test(noise_and_a_fresh_change_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
