#include "proto/agent_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* All that is allowed; every other pair of state and event is not. */
static const struct {
	enum agent_state from;
	enum agent_event event;
	enum agent_state to;
} allowed[] = {
	/* the way of a run */
	{AGENT_STATE_FREE, AGENT_EVENT_LEASE, AGENT_STATE_LEASED},
	{AGENT_STATE_LEASED, AGENT_EVENT_PREPARE, AGENT_STATE_PREPARING},
	{AGENT_STATE_PREPARING, AGENT_EVENT_READY, AGENT_STATE_READY},
	{AGENT_STATE_READY, AGENT_EVENT_START, AGENT_STATE_RUNNING},
	{AGENT_STATE_RUNNING, AGENT_EVENT_FINISHED, AGENT_STATE_LEASED},
	{AGENT_STATE_LEASED, AGENT_EVENT_RELEASE, AGENT_STATE_RELEASING},
	{AGENT_STATE_RELEASING, AGENT_EVENT_RELEASED, AGENT_STATE_FREE},
	/* a lay-out or load ends in its own time: as FAILED or FINISHED */
	{AGENT_STATE_LEASED, AGENT_EVENT_ABORT, AGENT_STATE_LEASED},
	{AGENT_STATE_PREPARING, AGENT_EVENT_ABORT, AGENT_STATE_PREPARING},
	{AGENT_STATE_PREPARING, AGENT_EVENT_FAILED, AGENT_STATE_LEASED},
	{AGENT_STATE_READY, AGENT_EVENT_ABORT, AGENT_STATE_LEASED},
	{AGENT_STATE_RUNNING, AGENT_EVENT_ABORT, AGENT_STATE_RUNNING},
	/* the controller is gone */
	{AGENT_STATE_LEASED, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_PREPARING, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_READY, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_RUNNING, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
};

static int want_next(enum agent_state from, enum agent_event event)
{
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (allowed[i].from == from && allowed[i].event == event)
			return (int)allowed[i].to;
	return -1;
}

static void only_what_is_listed_is_allowed(void **state)
{
	(void)state;
	for (int from = 0; from < AGENT_STATES; from++)
		for (int event = 0; event < AGENT_EVENTS; event++) {
			int want = want_next((enum agent_state)from, (enum agent_event)event);
			int next =
				agent_state_next((enum agent_state)from, (enum agent_event)event);
			if (next != want)
				fail_msg("%s in %s leads to %d, not %d",
					 agent_event_name((enum agent_event)event),
					 agent_state_name((enum agent_state)from), next, want);
		}
}

static void a_silent_controller_frees_the_agent_from_every_state(void **state)
{
	(void)state;
	for (int from = 0; from < AGENT_STATES; from++) {
		int next = agent_state_next((enum agent_state)from, AGENT_EVENT_EXPIRED);
		if (from == AGENT_STATE_FREE || from == AGENT_STATE_RELEASING)
			assert_int_equal(next, -1);
		else
			assert_int_equal(next, AGENT_STATE_RELEASING);
	}
}

/* Nobody gets an agent that is another's, and nobody starts one that is not ready. */
static void lease_and_start_have_one_way_in(void **state)
{
	(void)state;
	for (int from = 0; from < AGENT_STATES; from++) {
		int leased = agent_state_next((enum agent_state)from, AGENT_EVENT_LEASE);
		int started = agent_state_next((enum agent_state)from, AGENT_EVENT_START);
		assert_int_equal(leased >= 0, from == AGENT_STATE_FREE);
		assert_int_equal(started >= 0, from == AGENT_STATE_READY);
	}
}

static void every_state_and_event_has_its_own_name(void **state)
{
	(void)state;
	for (int i = 0; i < AGENT_STATES; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(agent_state_name((enum agent_state)i),
						agent_state_name((enum agent_state)j));
	for (int i = 0; i < AGENT_EVENTS; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(agent_event_name((enum agent_event)i),
						agent_event_name((enum agent_event)j));
	assert_string_equal(agent_state_name(AGENT_STATE_READY), "ready");
	assert_string_equal(agent_event_name(AGENT_EVENT_EXPIRED), "expired");
}

/* A heartbeat's state is a number from outside. */
static void numbers_beyond_the_table_are_unknown(void **state)
{
	(void)state;
	assert_string_equal(agent_state_name((enum agent_state)AGENT_STATES), "unknown");
	assert_string_equal(agent_state_name((enum agent_state) - 1), "unknown");
	assert_string_equal(agent_event_name((enum agent_event)AGENT_EVENTS), "unknown");
	assert_int_equal(agent_state_next((enum agent_state)AGENT_STATES, AGENT_EVENT_LEASE), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_listed_is_allowed),
		cmocka_unit_test(a_silent_controller_frees_the_agent_from_every_state),
		cmocka_unit_test(lease_and_start_have_one_way_in),
		cmocka_unit_test(every_state_and_event_has_its_own_name),
		cmocka_unit_test(numbers_beyond_the_table_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
