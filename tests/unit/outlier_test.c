#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/outlier.h"
#include "controller/analysis/stats.h"
#include "tests/unit/seeded.h"

static void odd_hosts_on_either_side_of_each_border(void **state)
{
	static const struct {
		double values[8];
		uint32_t count;
		const char *odd; /* one character a host */
	} cases[] = {
		{{1500, 1510, 1490, 1505, 1495, 1502, 1498, 900}, 8, ".......x"},
		{{1500, 1500, 1500, 1500, 1500, 1500, 1500, 1480}, 8, "........"}, /* 1.3 % */
		{{1500, 1500, 1500, 1500, 1500, 1500, 1500, 1340},
		 8,
		 ".......x"}, /* 10.7 %, MAD 0 */
		{{1500, 1500, 1500, 1500, 1500, 1500, 1500, 1360}, 8, "........"}, /* 9.3 % */
		{{100, 100, 100, 100, 100, 100, 100, 120}, 8, ".......x"},         /* faster */
		{{60, 80, 100, 120, 140, 160, 180, 85}, 8, "........"},            /* all over */
		{{100, 101, 99, 89}, 4, "...x"},
		{{100, 101, 99, 91}, 4, "...."},
		{{100, 100, 80}, 3, "..x"}, /* beside it the others look 11 % fast */
		{{100, 100, 120}, 3, "..x"},
		{{100, 101, 92}, 3, "..."},
		{{100, 50}, 2, ".."}, /* which of two? */
		{{100}, 1, "."},
		{{100, 100, 100, 100, 100, 100, 60, 60}, 8, "......xx"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outlier verdicts[8];
		char odd[9] = "";
		uint32_t found = outlier_find(cases[i].values, cases[i].count, verdicts), seen = 0;
		for (uint32_t h = 0; h < cases[i].count; h++) {
			odd[h] = verdicts[h].is_odd ? 'x' : '.';
			seen += verdicts[h].is_odd;
		}
		if (strcmp(odd, cases[i].odd) != 0 || found != seen)
			fail_msg("row %zu: %s, not %s", i, odd, cases[i].odd);
	}
}

/* What is taken out cleverly must be what is taken out plainly. */
static void each_is_held_against_the_others_alone(void **state)
{
	struct random random = {.state = 3};

	(void)state;
	for (int run = 0; run < 500; run++) {
		uint32_t count = 3 + (uint32_t)random_below(&random, 10);
		double values[12], others[12];
		struct outlier verdicts[12];
		for (uint32_t i = 0; i < count; i++)
			values[i] = 1 + (double)random_below(&random, 6); /* many are equal */
		outlier_find(values, count, verdicts);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t n = 0;
			for (uint32_t k = 0; k < count; k++)
				if (k != i)
					others[n++] = values[k];
			double median = stats_median(others, n);
			double z = stats_modified_z(values[i], median,
						    stats_median_distance(others, n, median),
						    stats_mean_distance(others, n, median));
			assert_true(verdicts[i].median == median);
			assert_true(verdicts[i].z == z || fabs(verdicts[i].z - z) < 1e-9);
		}
	}
}

static void the_worked_stragglers(void **state)
{
	static const struct {
		double times[5];
		uint32_t count;
		double factor, loss;
		bool is_one;
	} cases[] = {
		{{60, 60, 60, 90}, 4, 1.5, 0.25, true},
		{{100, 100, 100, 100, 112}, 5, 1.12, 0.0857, false},
		{{100, 100, 100, 100, 116}, 5, 1.16, 0.1103, true},
		{{100, 101, 99}, 3, 1.01, 0.0099, false},
		{{50, 100}, 2, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct straggler s = straggler_find(cases[i].times, cases[i].count);
		/* Some papers count the other way round: longest / mean - 1. */
		if (cases[i].count == 4)
			assert_true(fabs(1 / (1 - s.loss) - 1 - 0.333) < 5e-4);
		if (fabs(s.factor - cases[i].factor) > 1e-4 ||
		    fabs(s.loss - cases[i].loss) > 1e-4 || s.is_one != cases[i].is_one)
			fail_msg("row %zu: factor %g, loss %g, %s", i, s.factor, s.loss,
				 s.is_one ? "one" : "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_hosts_on_either_side_of_each_border),
		cmocka_unit_test(each_is_held_against_the_others_alone),
		cmocka_unit_test(the_worked_stragglers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
