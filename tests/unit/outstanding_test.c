#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/outstanding.h"
#include "agent/request.h"
#include "common/clock.h"

#define S     NS_PER_S
#define LIMIT (10 * S)

static struct outstanding outstanding;
static uint64_t unsent;
static struct outstanding_request found;
static struct io ios[3][2];
static struct request requests[3];

static int fresh(void **state)
{
	(void)state;
	outstanding = (struct outstanding){.look_ns = 0};
	unsent = UINT64_MAX;
	for (int i = 0; i < 3; i++) {
		for (int p = 0; p < 2; p++)
			ios[i][p] = (struct io){.length = 512};
		requests[i] = (struct request){.ios = ios[i], .number = (uint64_t)i};
		requests[i].place.offset = (uint64_t)(i + 1) * 1000;
	}
	return 0;
}

static void put(int i, uint64_t first_ns, uint64_t second_ns)
{
	requests[i].pending = 1;
	ios[i][0].submitted_ns = first_ns;
	ios[i][1].submitted_ns = second_ns;
}

static void look(uint64_t now_ns)
{
	const struct outstanding_requests all = {
		.requests = requests, .count = 3, .parts = 2, .unsent = unsent};

	outstanding_look(&outstanding, &all, LIMIT, now_ns);
}

static void nothing_in_flight_is_never_stuck(void **state)
{
	(void)state;
	assert_false(outstanding_find(&outstanding, LIMIT, 1000 * S, &found));
	ios[0][0].submitted_ns = 1; /* of a request that is back */
	look(1000 * S);
	assert_false(outstanding_find(&outstanding, LIMIT, 2000 * S, &found));
}

static void when_nothing_comes_back_its_beginning_counts(void **state)
{
	(void)state;
	outstanding.waiting_since_ns = 100 * S;
	outstanding.offset = 4096;
	assert_false(outstanding_find(&outstanding, LIMIT, 99 * S, &found));
	assert_false(outstanding_find(&outstanding, LIMIT, 110 * S, &found));
	assert_true(outstanding_find(&outstanding, LIMIT, 110 * S + 1, &found));
	assert_int_equal(found.since_ns, 100 * S);
	assert_int_equal(found.offset, 4096);
}

static void one_that_hangs_while_others_come_back_is_found(void **state)
{
	(void)state;
	put(0, 119 * S, 119 * S);
	put(1, 105 * S, 104 * S);
	put(2, 118 * S, 118 * S);
	outstanding.waiting_since_ns = 119 * S;
	look(114 * S);
	assert_false(outstanding_find(&outstanding, LIMIT, 119 * S, &found));
	assert_int_equal(outstanding.look_ns, 115 * S);
	look(120 * S);
	assert_true(outstanding_find(&outstanding, LIMIT, 120 * S, &found));
	assert_int_equal(found.since_ns, 104 * S);
	assert_int_equal(found.offset, 2000);
	/* It is back after all. */
	requests[1].pending = 0;
	look(121 * S);
	assert_false(outstanding_find(&outstanding, LIMIT, 121 * S, &found));
}

static void parts_that_a_request_does_not_touch_do_not_count(void **state)
{
	(void)state;
	put(0, 1, 119 * S);
	ios[0][0].length = 0;
	look(120 * S);
	assert_false(outstanding_find(&outstanding, LIMIT, 120 * S, &found));
}

static void one_that_was_not_sent_yet_does_not_count(void **state)
{
	(void)state;
	put(2, 1, 1); /* stamps of its last use */
	unsent = 2;
	look(120 * S);
	assert_false(outstanding_find(&outstanding, LIMIT, 120 * S, &found));
	unsent = 3;
	look(120 * S);
	assert_true(outstanding_find(&outstanding, LIMIT, 120 * S, &found));
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_in_flight_is_never_stuck),
		TEST(when_nothing_comes_back_its_beginning_counts),
		TEST(one_that_hangs_while_others_come_back_is_found),
		TEST(one_that_was_not_sent_yet_does_not_count),
		TEST(parts_that_a_request_does_not_touch_do_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
