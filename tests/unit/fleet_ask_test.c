/* What is told again to an agent, which is this test, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/clock.h"
#include "controller/fleet_inside.h"
#include "proto/agent_state.h"

#define PHASE   7u
#define ATTEMPT 2u

static const struct plan_host planned = {.name = (char *)"h"};
static struct fleet_host host;
static struct fleet fleet;
static struct channel *agent;

static int set_up(void **state)
{
	char endpoint[64];
	struct error err;

	(void)state;
	agent = channel_bind("tcp://127.0.0.1:*", &err);
	host = (struct fleet_host){.plan = &planned, .status = FLEET_STATUS_LEASED};
	fleet = (struct fleet){.hosts = &host,
			       .count = 1,
			       .channel = channel_new(&err),
			       .lease = "0123456789abcdef0123456789abcdef"};
	if (!agent || !fleet.channel)
		return -1;
	snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", channel_port(agent));
	if (channel_connect(fleet.channel, endpoint, &host.peer, &err) < 0)
		return -1;
	fleet_begin_phase(&fleet, PHASE, ATTEMPT);
	host.in_phase = true;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fleet_begin_phase(&fleet, 0, 0); /* forgets */
	channel_free(fleet.channel, 0);
	channel_free(agent, 0);
	return 0;
}

/* ---- what comes to the agent ---- */

static struct message receive(void)
{
	struct channel_peer from;
	struct bytes frame;
	struct message message;
	struct error err;

	assert_int_equal(channel_receive(agent, 20000, &from, &frame), 1);
	if (codec_unpack(frame.data, frame.size, &message, &err) < 0)
		fail_msg("%s", err.text);
	free(frame.data);
	return message;
}

/* All that was sent until now is that kind, so often; a probe is sent behind it. */
static void require_sent(enum message_kind kind, uint32_t count)
{
	const struct probe probe = {.t1_ns = 1};

	fleet_send(&fleet, &host, MESSAGE_PROBE, &probe);
	for (;;) {
		struct message message = receive();
		enum message_kind came = message.envelope.kind;
		message_release(&message);
		if (came == MESSAGE_PROBE)
			break;
		assert_int_equal(came, kind);
		assert_true(count-- > 0);
	}
	assert_int_equal(count, 0);
}

/* ---- what the agent says ---- */

static void say(enum message_kind kind, uint32_t phase, uint32_t attempt, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = phase, .attempt = attempt};
	struct bytes frame = {0};

	memcpy(envelope.lease, fleet.lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	fleet_take_frame(&fleet, &host.peer, &frame);
	free(frame.data);
}

static void beat_of(uint32_t phase, uint32_t attempt, enum agent_state state, uint64_t heard_ns)
{
	const struct heartbeat beat = {.state = state, .heard_ns = heard_ns};

	say(MESSAGE_HEARTBEAT, phase, attempt, &beat);
}

/* It has heard what was sent after all that was told until now. */
static void beat(enum agent_state state)
{
	beat_of(PHASE, ATTEMPT, state, clock_now_ns());
}

static void beat_before(enum agent_state state)
{
	beat_of(PHASE - 1, 1, state, clock_now_ns());
}

static void say_ready(void)
{
	const struct ready ready = {.buffer_bytes = 1};

	say(MESSAGE_READY, PHASE, ATTEMPT, &ready);
}

static void ask(enum message_kind kind)
{
	const struct abort_load stop = {.reason = (char *)"why"};
	const struct start begin = {.at_ns = 1};
	const struct prepare prepare = {
		.run = (char *)"r",
		.bucket_ns = NS_PER_S,
		.io_timeout_ns = NS_PER_S,
		.phase = {.name = (char *)"p", .block_size = 4096, .workers = 1, .queue_depth = 1}};

	fleet_ask(&fleet, &host, kind,
		  kind == MESSAGE_PREPARE ? (const void *)&prepare
		  : kind == MESSAGE_START ? (const void *)&begin
					  : (const void *)&stop);
	require_sent(kind, 1);
}

/* ---- prepare ---- */

static void a_prepare_that_is_lost_is_sent_again(void **state)
{
	(void)state;
	ask(MESSAGE_PREPARE);
	beat_before(AGENT_STATE_LEASED);
	require_sent(MESSAGE_PREPARE, 1);
	beat_before(AGENT_STATE_RUNNING); /* the acknowledgement of its last phase is lost, too */
	require_sent(MESSAGE_PREPARE, 1);
}

/* However long it is on its way, and however many heartbeats tell so. */
static void nothing_is_sent_again_that_may_be_under_way(void **state)
{
	(void)state;
	ask(MESSAGE_PREPARE);
	for (int i = 0; i < 100; i++)
		beat_of(PHASE - 1, 1, AGENT_STATE_LEASED, host.asked.sent_ns);
	require_sent(MESSAGE_PREPARE, 0);
	uint64_t heard_ns = clock_now_ns();
	for (int i = 0; i < 100; i++)
		beat_of(PHASE - 1, 1, AGENT_STATE_LEASED, heard_ns);
	require_sent(MESSAGE_PREPARE, 1);
}

static void who_prepares_is_left_alone(void **state)
{
	(void)state;
	ask(MESSAGE_PREPARE);
	beat(AGENT_STATE_PREPARING);
	require_sent(MESSAGE_PREPARE, 0);
}

/* The answer had been on its way before the heartbeat. */
static void an_answer_that_is_lost_is_asked_for(void **state)
{
	const struct failed failed = {.text = (char *)"no"};

	(void)state;
	ask(MESSAGE_PREPARE);
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_PREPARE, 1);
	beat(AGENT_STATE_LEASED);
	require_sent(MESSAGE_PREPARE, 1);
	say(MESSAGE_FAILED, PHASE, ATTEMPT, &failed);
	beat(AGENT_STATE_LEASED);
	require_sent(MESSAGE_PREPARE, 0);
}

static void an_answer_that_comes_twice_is_one(void **state)
{
	(void)state;
	ask(MESSAGE_PREPARE);
	say_ready();
	say_ready();
	assert_true(host.is_ready && host.ready.buffer_bytes == 1);
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_PREPARE, 0);
}

/* ---- start ---- */

static void a_start_that_is_lost_is_sent_again_until_it_runs_or_is_late(void **state)
{
	const struct late late = {.at_ns = 1};

	(void)state;
	say_ready();
	ask(MESSAGE_START);
	host.is_started = true;
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_START, 1);
	beat(AGENT_STATE_RUNNING);
	require_sent(MESSAGE_START, 0);
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_START, 1);
	say(MESSAGE_LATE, PHASE, ATTEMPT, &late);
	say(MESSAGE_LATE, PHASE, ATTEMPT, &late);
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_START, 0);
	assert_true(host.is_late && !fleet_host_is_running(&host));
}

/* ---- abort ---- */

static void an_abort_that_is_lost_is_sent_again(void **state)
{
	(void)state;
	say_ready();
	ask(MESSAGE_ABORT);
	beat(AGENT_STATE_READY);
	require_sent(MESSAGE_ABORT, 1);
	beat(AGENT_STATE_LEASED);
	require_sent(MESSAGE_ABORT, 0);
}

static void an_abort_takes_the_place_of_what_was_told_before(void **state)
{
	const struct failed stopped = {.kind = FAILED_BROKEN, .text = (char *)"why"};

	(void)state;
	ask(MESSAGE_PREPARE);
	ask(MESSAGE_ABORT);
	beat_before(AGENT_STATE_LEASED); /* has had neither */
	require_sent(MESSAGE_ABORT, 1);
	say(MESSAGE_FAILED, PHASE, ATTEMPT, &stopped);
	beat(AGENT_STATE_LEASED);
	require_sent(MESSAGE_ABORT, 0);
}

/* Its start was lost, and then it was stopped: that it never ran is an end. */
static void who_never_started_has_nothing_to_end(void **state)
{
	const struct failed stopped = {.kind = FAILED_BROKEN, .text = (char *)"why"};

	(void)state;
	say_ready();
	ask(MESSAGE_START);
	host.is_started = true;
	ask(MESSAGE_ABORT);
	beat(AGENT_STATE_LEASED);
	require_sent(MESSAGE_ABORT, 1);
	say(MESSAGE_FAILED, PHASE, ATTEMPT, &stopped);
	assert_false(fleet_host_is_unsettled(&host));
}

/* ---- amend ---- */

static void an_amend_is_sent_again_until_it_is_answered(void **state)
{
	const struct amend amend = {.bucket = 9, .at_ns = 900};
	const struct amended first = {.number = 1, .taken = true}, second = {.number = 2};

	(void)state;
	host.is_started = true;
	fleet_amend(&fleet, &host, &amend);
	require_sent(MESSAGE_AMEND, 1);
	beat(AGENT_STATE_RUNNING);
	require_sent(MESSAGE_AMEND, 1);
	say(MESSAGE_AMENDED, PHASE, ATTEMPT, &first);
	beat(AGENT_STATE_RUNNING);
	require_sent(MESSAGE_AMEND, 0);
	assert_int_equal(host.borders_count, 1);

	/* The answer to the first comes once more: it is none to the second. */
	fleet_amend(&fleet, &host, &amend);
	require_sent(MESSAGE_AMEND, 1);
	say(MESSAGE_AMENDED, PHASE, ATTEMPT, &first);
	assert_true(host.is_amending);
	say(MESSAGE_AMENDED, PHASE, ATTEMPT, &second);
	assert_false(host.is_amending);
	assert_int_equal(host.borders_count, 1);
}

/* ---- the end of a phase ---- */

/* The last acknowledgement is lost, and the phase is over here. */
static void what_comes_of_a_phase_that_is_over_is_acknowledged(void **state)
{
	const struct done done = {.sequence = 5};

	(void)state;
	say(MESSAGE_DONE, PHASE - 1, 3, &done);
	struct message message = receive();
	assert_int_equal(message.envelope.kind, MESSAGE_ACK);
	assert_int_equal(message.envelope.phase, PHASE - 1);
	assert_int_equal(message.envelope.attempt, 3);
	assert_int_equal(((struct ack *)message.body)->sequence, 5);
	message_release(&message);
	assert_false(host.is_done);
}

static void who_is_not_in_the_phase_is_told_nothing(void **state)
{
	(void)state;
	ask(MESSAGE_PREPARE);
	host.in_phase = false;
	beat_before(AGENT_STATE_LEASED);
	require_sent(MESSAGE_PREPARE, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_prepare_that_is_lost_is_sent_again),
		TEST(nothing_is_sent_again_that_may_be_under_way),
		TEST(who_prepares_is_left_alone),
		TEST(an_answer_that_is_lost_is_asked_for),
		TEST(an_answer_that_comes_twice_is_one),
		TEST(a_start_that_is_lost_is_sent_again_until_it_runs_or_is_late),
		TEST(an_abort_that_is_lost_is_sent_again),
		TEST(an_abort_takes_the_place_of_what_was_told_before),
		TEST(who_never_started_has_nothing_to_end),
		TEST(an_amend_is_sent_again_until_it_is_answered),
		TEST(what_comes_of_a_phase_that_is_over_is_acknowledged),
		TEST(who_is_not_in_the_phase_is_told_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
