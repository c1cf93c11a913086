#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/clock.h"
#include "controller/clock_pace.h"

#define BEGIN (1000 * NS_PER_S)
#define STEP  NS_PER_MS

struct bursts {
	uint32_t count, pings;
};

/* Asks each millisecond from `from` to before `to`. */
static struct bursts take_between(struct clock_pace *pace, uint64_t from, uint64_t to)
{
	struct bursts taken = {0};

	for (uint64_t now = from; now < to; now += STEP) {
		uint32_t pings = clock_pace_take(pace, now);
		taken.count += pings > 0;
		taken.pings += pings;
	}
	return taken;
}

static void whoever_joins_gets_three_long_bursts_in_a_second(void **state)
{
	(void)state;
	static const enum clock_schedule schedules[] = {CLOCK_SCHEDULE_JOIN, CLOCK_SCHEDULE_IDLE};
	for (unsigned i = 0; i < 2; i++) {
		for (uint32_t host = 0; host < 8; host++) {
			struct clock_pace pace;
			clock_pace_start(&pace, host, 8, schedules[i], BEGIN);
			struct bursts taken = take_between(&pace, BEGIN, BEGIN + NS_PER_S);
			print_message("schedule %u host %u: %u bursts\n", i, host, taken.count);
			assert_int_equal(taken.count, 3);
			assert_int_equal(taken.pings, 3 * 16);
		}
	}
}

static void each_schedule_has_its_bursts_of_five(void **state)
{
	(void)state;
	static const struct {
		enum clock_schedule schedule;
		uint32_t bursts_per_s;
	} cases[] = {
		{CLOCK_SCHEDULE_OFF, 0},    {CLOCK_SCHEDULE_JOIN, 4},  {CLOCK_SCHEDULE_IDLE, 1},
		{CLOCK_SCHEDULE_ARMED, 10}, {CLOCK_SCHEDULE_PHASE, 4}, {CLOCK_SCHEDULE_TAIL, 10},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct clock_pace pace;
		clock_pace_start(&pace, 0, 1, CLOCK_SCHEDULE_JOIN, BEGIN);
		take_between(&pace, BEGIN, BEGIN + 2 * NS_PER_S);
		clock_pace_change(&pace, cases[i].schedule, BEGIN + 2 * NS_PER_S);
		struct bursts taken =
			take_between(&pace, BEGIN + 2 * NS_PER_S, BEGIN + 12 * NS_PER_S);
		print_message("schedule %d: %u bursts in 10 s\n", cases[i].schedule, taken.count);
		assert_int_equal(taken.count, 10 * cases[i].bursts_per_s);
		assert_int_equal(taken.pings, CLOCK_BURST * taken.count);
	}
}

static void off_keeps_the_join_for_later(void **state)
{
	(void)state;
	struct clock_pace pace;
	clock_pace_start(&pace, 0, 1, CLOCK_SCHEDULE_OFF, BEGIN);
	assert_int_equal(pace.next_ns, CLOCK_PACE_NEVER);
	assert_int_equal(clock_pace_take(&pace, BEGIN + 100 * NS_PER_S), 0);
	clock_pace_change(&pace, CLOCK_SCHEDULE_ARMED, BEGIN + 100 * NS_PER_S);
	assert_int_equal(clock_pace_take(&pace, BEGIN + 100 * NS_PER_S), 16);
}

static void hosts_have_their_bursts_a_share_of_the_period_apart(void **state)
{
	(void)state;
	struct clock_pace paces[10];
	uint64_t now = BEGIN + 5 * NS_PER_S;
	for (uint32_t host = 0; host < 10; host++) {
		clock_pace_start(&paces[host], host, 10, CLOCK_SCHEDULE_JOIN, BEGIN);
		take_between(&paces[host], BEGIN, now);
		clock_pace_change(&paces[host], CLOCK_SCHEDULE_IDLE, now);
	}
	for (int round = 0; round < 3; round++)
		for (uint32_t host = 0; host < 10; host++, now += 100 * NS_PER_MS)
			for (uint32_t other = 0; other < 10; other++)
				assert_int_equal(clock_pace_take(&paces[other], now),
						 other == host ? CLOCK_BURST : 0);
}

static void bursts_that_were_missed_are_not_made_up_for(void **state)
{
	(void)state;
	struct clock_pace pace;
	clock_pace_start(&pace, 0, 1, CLOCK_SCHEDULE_JOIN, BEGIN);
	take_between(&pace, BEGIN, BEGIN + 2 * NS_PER_S);
	assert_true(clock_pace_take(&pace, BEGIN + 60 * NS_PER_S) > 0);
	assert_int_equal(clock_pace_take(&pace, BEGIN + 60 * NS_PER_S), 0);
}

/* Else a caller that says it each few milliseconds would put the next burst off for ever. */
static void saying_the_same_schedule_again_puts_nothing_off(void **state)
{
	(void)state;
	struct clock_pace pace;
	clock_pace_start(&pace, 3, 4, CLOCK_SCHEDULE_PHASE, BEGIN);
	uint64_t next = pace.next_ns;
	clock_pace_change(&pace, CLOCK_SCHEDULE_PHASE, BEGIN + 10 * NS_PER_MS);
	assert_int_equal(pace.next_ns, next);
}

static void to_join_again_is_to_have_the_long_bursts_again(void **state)
{
	(void)state;
	struct clock_pace pace;
	clock_pace_start(&pace, 0, 1, CLOCK_SCHEDULE_IDLE, BEGIN);
	take_between(&pace, BEGIN, BEGIN + 10 * NS_PER_S);
	clock_pace_change(&pace, CLOCK_SCHEDULE_JOIN, BEGIN + 10 * NS_PER_S);
	struct bursts taken = take_between(&pace, BEGIN + 10 * NS_PER_S, BEGIN + 11 * NS_PER_S);
	assert_int_equal(taken.pings, 3 * 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_joins_gets_three_long_bursts_in_a_second),
		cmocka_unit_test(each_schedule_has_its_bursts_of_five),
		cmocka_unit_test(off_keeps_the_join_for_later),
		cmocka_unit_test(hosts_have_their_bursts_a_share_of_the_period_apart),
		cmocka_unit_test(bursts_that_were_missed_are_not_made_up_for),
		cmocka_unit_test(saying_the_same_schedule_again_puts_nothing_off),
		cmocka_unit_test(to_join_again_is_to_have_the_long_bursts_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
