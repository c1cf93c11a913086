#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "controller/disruptions.h"

static void add(struct disruptions *told, enum disruption_kind kind, uint64_t from_ns)
{
	const struct disruption disruption = {.kind = kind, .from_ns = from_ns};

	disruptions_add(told, &disruption);
}

/* They cut the fit of a clock; gaps do not. */
static void a_sleep_after_20000_gaps_is_kept_and_what_is_not_is_counted(void **state)
{
	struct disruptions told = {0};

	(void)state;
	for (uint64_t i = 0; i < 20000; i++)
		add(&told, DISRUPTION_GAP, i);
	add(&told, DISRUPTION_SUSPEND, 30000);
	add(&told, DISRUPTION_GAP, 30001);
	add(&told, DISRUPTION_FREQUENCY, 30002);
	assert_int_equal(told.count, DISRUPTIONS_GAPS_MOST + 2);
	assert_int_equal(told.dropped, 10001);
	assert_int_equal(told.list[DISRUPTIONS_GAPS_MOST - 1].from_ns, DISRUPTIONS_GAPS_MOST - 1);
	assert_int_equal(told.list[told.count - 2].kind, DISRUPTION_SUSPEND);
	assert_int_equal(told.list[told.count - 1].kind, DISRUPTION_FREQUENCY);
	disruptions_release(&told);
	assert_int_equal(told.count, 0);
}

/* Of an agent that means harm. */
static void others_have_an_end_too(void **state)
{
	struct disruptions told = {0};

	(void)state;
	for (uint64_t i = 0; i < 30000; i++)
		add(&told, DISRUPTION_STEP, i);
	add(&told, DISRUPTION_GAP, 0);
	assert_int_equal(told.count, DISRUPTIONS_OTHERS_MOST + 1);
	assert_int_equal(told.dropped, 30000 - DISRUPTIONS_OTHERS_MOST);
	disruptions_release(&told);
}

/* A spool has those of its phase; what had come between it and the phase before stays. */
static void earlier_ones_go_in_front_and_none_twice(void **state)
{
	struct disruptions come = {0}, told = {0};

	(void)state;
	add(&come, DISRUPTION_SUSPEND, 5);
	add(&come, DISRUPTION_GAP, 10);
	add(&come, DISRUPTION_GAP, 20);
	disruptions_add_before(&told, come.list, come.count, 3);
	assert_int_equal(told.count, 3);
	assert_int_equal(told.dropped, 3);
	disruptions_release(&told);
	add(&told, DISRUPTION_GAP, 10);
	add(&told, DISRUPTION_GAP, 20);
	add(&told, DISRUPTION_FREQUENCY, 30);
	disruptions_add_before(&told, come.list, come.count, 3);
	assert_int_equal(told.count, 4);
	assert_int_equal(told.gaps, 2);
	assert_int_equal(told.dropped, 0);
	assert_int_equal(told.list[0].kind, DISRUPTION_SUSPEND);
	assert_int_equal(told.list[3].kind, DISRUPTION_FREQUENCY);
	disruptions_release(&told);
	disruptions_release(&come);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleep_after_20000_gaps_is_kept_and_what_is_not_is_counted),
		cmocka_unit_test(others_have_an_end_too),
		cmocka_unit_test(earlier_ones_go_in_front_and_none_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
