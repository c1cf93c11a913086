/* The clock that runs wrong on purpose: its sleeps end when it first shows what was asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/random.h"
#include "tests/hooked_clock.h"

#define BEGIN UINT64_C(5000000000000)
#define MS    UINT64_C(1000000)

static const struct shown_row {
	struct hooked_clock clock;
	uint64_t true_ns, want;
} shown_rows[] = {
	{{BEGIN, 0, UINT64_MAX, 0}, BEGIN + 7, BEGIN + 7},
	{{BEGIN, 200000, UINT64_MAX, 0}, BEGIN, BEGIN},
	{{BEGIN, 200000, UINT64_MAX, 0}, BEGIN + 1000000000, BEGIN + 1000200000},
	{{BEGIN, -200000, UINT64_MAX, 0}, BEGIN + 1000000000, BEGIN + 999800000},
	{{BEGIN, -1, UINT64_MAX, 0}, BEGIN + 1, BEGIN},
	{{BEGIN, 0, BEGIN + 10, 5}, BEGIN + 9, BEGIN + 9},
	{{BEGIN, 0, BEGIN + 10, 5}, BEGIN + 10, BEGIN + 15},
	{{BEGIN, 0, BEGIN + 10, -5}, BEGIN + 10, BEGIN + 5},
};

static void it_shows_what_was_asked_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shown_rows) / sizeof(shown_rows[0]); i++) {
		const struct shown_row *row = &shown_rows[i];
		uint64_t shown = hooked_shows(&row->clock, row->true_ns);
		if (shown != row->want)
			fail_msg("row %zu: %llu, wanted %llu", i, (unsigned long long)shown,
				 (unsigned long long)row->want);
	}
}

static void a_sleep_ends_with_the_first_instant_that_shows_it(void **state)
{
	(void)state;
	struct random random = {.state = 1};
	for (int i = 0; i < 20000; i++) {
		struct hooked_clock clock = {
			.begin_ns = BEGIN,
			.drift_ppb = (int64_t)random_below(&random, 1000000) - 500000,
			.step_at_ns = BEGIN + random_below(&random, 1000 * MS),
			.step_ns = (int64_t)random_below(&random, 100 * MS) - (int64_t)(50 * MS)};
		uint64_t now = BEGIN + random_below(&random, 1000 * MS);
		uint64_t want = BEGIN + random_below(&random, 1200 * MS);
		uint64_t at = hooked_when(&clock, want, now);
		assert_true(at >= now);
		assert_true(hooked_shows(&clock, at) >= want);
		if (at > now)
			assert_true(hooked_shows(&clock, at - 1) < want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_shows_what_was_asked_for),
		cmocka_unit_test(a_sleep_ends_with_the_first_instant_that_shows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
