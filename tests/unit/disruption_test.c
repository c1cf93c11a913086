/* What happened to a host's clocks, from what they show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/disruption.h"
#include "common/clock.h"

#define LOOK (10 * NS_PER_MS)
#define MS   ((int64_t)NS_PER_MS)
#define S    ((int64_t)NS_PER_S)

/* A look after the one at 1000 s; all clocks but for what the row says have gone on by `passed`. */
static const struct look_row {
	const char *name;
	int64_t passed, base, wall, boot; /* beyond `passed` */
	uint64_t error;
	uint32_t count;
	enum disruption_kind kind;
	int64_t amount;
} look_rows[] = {
	{"quiet", 10 * MS, 0, 0, 0, 500, 0, 0, 0},
	{"late", 29 * MS, 0, 0, 0, 500, 0, 0, 0},
	{"gap", 31 * MS, 0, 0, 0, 500, 1, DISRUPTION_GAP, 21 * MS},
	{"suspend", 10 * MS, 0, 30 * S, 30 * S, 500, 1, DISRUPTION_SUSPEND, 30 * S},
	{"set ahead", 10 * MS, 0, 5000, 0, 500, 1, DISRUPTION_STEP, 5000},
	{"set back", 10 * MS, 0, -3600 * S, 0, 500, 1, DISRUPTION_STEP, -3600 * S},
	{"set within what reading costs", 10 * MS, 0, 1900, 0, 500, 0, 0, 0},
	{"blurred", 10 * MS, 0, 5000, 0, 50000, 0, 0, 0},
	{"base slewed", 10 * MS, 1 * MS, 0, 0, 500, 0, 0, 0},
	{"base jumped", 10 * MS, 2 * MS, 0, 0, 500, 1, DISRUPTION_STEP, 2 * MS},
	{"base jumped back", 10 * MS, -5 * S, 0, 0, 500, 1, DISRUPTION_STEP, -5 * S},
	{"both set", 10 * MS, 7 * MS, 7 * MS, 0, 500, 1, DISRUPTION_STEP, 7 * MS},
};

static const struct platform_clocks first = {
	.base_ns = 1000 * S,
	.timer_ns = 2000 * S,
	.wall_ns = 3000 * S,
	.boot_ns = 4000 * S,
	.error_ns = 500,
	.base_slew_ppm = 101000,
};

static struct platform_clocks later(const struct platform_clocks *from, int64_t passed)
{
	struct platform_clocks now = *from;

	now.base_ns += (uint64_t)passed;
	now.timer_ns += (uint64_t)passed;
	now.wall_ns += (uint64_t)passed;
	now.boot_ns += (uint64_t)passed;
	return now;
}

static void each_is_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(look_rows) / sizeof(look_rows[0]); i++) {
		const struct look_row *row = &look_rows[i];
		struct disruption out[DISRUPTION_MOST];
		struct disruption_judge judge;
		struct platform_clocks now = later(&first, row->passed);
		now.base_ns += (uint64_t)row->base;
		now.wall_ns += (uint64_t)row->wall;
		now.boot_ns += (uint64_t)row->boot;
		now.error_ns = row->error;
		disruption_judge_init(&judge, &first);
		uint32_t count = disruption_judge(&judge, &now, first.timer_ns + LOOK, out);
		if (count != row->count)
			fail_msg("%s: %u, wanted %u", row->name, count, row->count);
		if (!count)
			continue;
		if (out[0].kind != row->kind || out[0].amount_ns != row->amount)
			fail_msg("%s: kind %d by %lld", row->name, (int)out[0].kind,
				 (long long)out[0].amount_ns);
		assert_int_equal(out[0].from_ns, first.base_ns);
		assert_int_equal(out[0].to_ns, now.base_ns);
	}
}

/* What a blurred look could not show, the next sharp one does. */
static void a_step_behind_a_blur_is_told_later(void **state)
{
	(void)state;
	struct disruption out[DISRUPTION_MOST];
	struct disruption_judge judge;
	struct platform_clocks now = later(&first, 10 * MS);
	now.wall_ns += 5000;
	now.error_ns = 50000;
	disruption_judge_init(&judge, &first);
	assert_int_equal(disruption_judge(&judge, &now, first.timer_ns + LOOK, out), 0);
	uint64_t planned = now.timer_ns + LOOK;
	now = later(&now, 10 * MS);
	now.error_ns = 500;
	assert_int_equal(disruption_judge(&judge, &now, planned, out), 1);
	assert_int_equal(out[0].amount_ns, 5000);
	assert_int_equal(out[0].from_ns, first.base_ns);
	assert_int_equal(out[0].to_ns, now.base_ns);
}

static void what_was_told_is_not_told_again(void **state)
{
	(void)state;
	struct disruption out[DISRUPTION_MOST];
	struct disruption_judge judge;
	struct platform_clocks now = later(&first, 40 * MS);
	now.wall_ns += (uint64_t)(90 * S);
	now.boot_ns += (uint64_t)(80 * S);
	disruption_judge_init(&judge, &first);
	/* late, slept for 80 s, and set by 10 s beyond that */
	assert_int_equal(disruption_judge(&judge, &now, first.timer_ns + LOOK, out), 3);
	assert_int_equal(out[2].amount_ns, 10 * S);
	for (int i = 0; i < 10; i++) {
		uint64_t planned = now.timer_ns + LOOK;
		now = later(&now, 10 * MS);
		assert_int_equal(disruption_judge(&judge, &now, planned, out), 0);
	}
}

/* A system whose base clock follows ntpd, and has no clock of suspended time. */
static void a_rate_that_creeps_is_told_when_it_matters(void **state)
{
	(void)state;
	struct disruption out[DISRUPTION_MOST];
	struct disruption_judge judge;
	struct platform_clocks now = first;
	uint32_t told = 0;
	now.boot_ns = 0;
	now.has_rate = true;
	disruption_judge_init(&judge, &now);
	for (int i = 0; i < 30; i++) {
		uint64_t planned = now.timer_ns + LOOK;
		now = later(&now, 10 * MS);
		now.boot_ns = 0;
		now.rate_ppb += 100;
		uint32_t count = disruption_judge(&judge, &now, planned, out);
		if (count) {
			assert_int_equal(out[0].kind, DISRUPTION_FREQUENCY);
			assert_int_equal(out[0].amount_ns, 1100);
		}
		told += count;
	}
	assert_int_equal(told, 2);
}

static void the_clocks_of_this_host_go_on_together(void **state)
{
	(void)state;
	struct platform_clocks a, b;
	uint64_t before = clock_now_ns();
	platform_clocks(&a);
	platform_clocks(&b);
	assert_true(a.base_ns >= before && b.base_ns <= clock_now_ns());
	assert_true(b.timer_ns >= a.timer_ns);
	assert_true(a.wall_ns > 0 && a.error_ns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_told_apart),
		cmocka_unit_test(a_step_behind_a_blur_is_told_later),
		cmocka_unit_test(what_was_told_is_not_told_again),
		cmocka_unit_test(a_rate_that_creeps_is_told_when_it_matters),
		cmocka_unit_test(the_clocks_of_this_host_go_on_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
