/* Who gets through to whom, and what both sides are told when somebody does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/channel.h"

static struct key_pair agent_key, other_key, controller_key, stranger_key;

static int set_up(void **state)
{
	struct error err;

	(void)state;
	return auth_make_pair(&agent_key, &err) || auth_make_pair(&other_key, &err) ||
	       auth_make_pair(&controller_key, &err) || auth_make_pair(&stranger_key, &err);
}

/* NULL: without keys. */
static struct channel *listen_with(const struct key_pair *own, char endpoint[64])
{
	struct error err;
	const unsigned char(*allowed)[KEY_SIZE] = (const void *)controller_key.public;
	struct channel *agent =
		own ? channel_bind_secure("tcp://127.0.0.1:*", own, allowed, 1, &err)
		    : channel_bind("tcp://127.0.0.1:*", &err);

	assert_non_null(agent);
	snprintf(endpoint, 64, "tcp://127.0.0.1:%u", channel_port(agent));
	return agent;
}

static struct channel_peer knock(struct channel *controller, const char *endpoint,
				 const struct key_pair *own, const struct key_pair *expected)
{
	struct bytes hello = {.data = (unsigned char *)"hello", .size = 5};
	struct channel_peer peer;
	struct error err;
	int result = own ? channel_connect_secure(controller, endpoint, own, expected->public,
						  &peer, &err)
			 : channel_connect(controller, endpoint, &peer, &err);

	assert_int_equal(result, 0);
	assert_int_equal(channel_send(controller, &peer, &hello, &err), 0);
	return peer;
}

/* What became of a knock: what each side was told, within three seconds. */
struct outcome {
	bool arrived, has_refusal;
	bool here, there;                   /* a failure on the controller, on the agent */
	struct handshake at_here, at_there; /* the first of each */
	struct auth_refusal refusal;
	unsigned failures; /* on the controller */
};

static void look(struct channel *channel, bool *seen, struct handshake *first, unsigned *count)
{
	struct handshake failure;

	while (channel_failure(channel, &failure)) {
		if (!*seen)
			*first = failure;
		*seen = true;
		++*count;
	}
}

static struct outcome watch(struct channel *agent, struct channel *controller)
{
	struct outcome outcome = {0};
	uint64_t end = clock_now_ns() + 3 * NS_PER_S;
	struct channel_peer from;
	struct bytes frame;
	unsigned there = 0;

	while (clock_now_ns() < end && !outcome.arrived &&
	       !(outcome.here && (outcome.there || outcome.has_refusal))) {
		if (channel_receive(agent, 10, &from, &frame) == 1) {
			outcome.arrived = true;
			free(frame.data);
		}
		if (channel_receive(controller, 10, &from, &frame) == 1)
			free(frame.data);
		look(controller, &outcome.here, &outcome.at_here, &outcome.failures);
		look(agent, &outcome.there, &outcome.at_there, &there);
		outcome.has_refusal |= channel_refusal(agent, &outcome.refusal);
	}
	return outcome;
}

static void both_sides_learn_what_came_of_it(void **state)
{
	const struct {
		const char *name;
		const struct key_pair *agent, *controller, *expected;
		bool arrives;
		enum handshake_failure here;
		bool refused;
		enum handshake_failure there;
	} rows[] = {
		{"plain to plain", NULL, NULL, NULL, .arrives = true},
		{"right keys", &agent_key, &controller_key, &agent_key, .arrives = true},
		{"agent has another key", &agent_key, &controller_key, &other_key, false,
		 HANDSHAKE_CLOSED, false, HANDSHAKE_KEY},
		{"agent does not list it", &agent_key, &stranger_key, &agent_key, false,
		 HANDSHAKE_REFUSED, true},
		{"plain to keys", &agent_key, NULL, NULL, false, HANDSHAKE_MECHANISM, false,
		 HANDSHAKE_MECHANISM},
		{"keys to plain", NULL, &controller_key, &agent_key, false, HANDSHAKE_MECHANISM,
		 false, HANDSHAKE_MECHANISM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char endpoint[64];
		struct error err;
		struct channel *agent = listen_with(rows[i].agent, endpoint);
		struct channel *controller = channel_new(&err);
		struct channel_peer peer =
			knock(controller, endpoint, rows[i].controller, rows[i].expected);
		struct outcome outcome = watch(agent, controller);
		print_message("%s: arrived %d, here %d %d '%s', there %d %d '%s', refused %d\n",
			      rows[i].name, outcome.arrived, outcome.here, outcome.at_here.failure,
			      outcome.at_here.peer, outcome.there, outcome.at_there.failure,
			      outcome.at_there.peer, outcome.has_refusal);
		assert_int_equal(outcome.arrived, rows[i].arrives);
		if (!rows[i].arrives) {
			assert_true(outcome.here);
			assert_int_equal(outcome.at_here.failure, rows[i].here);
			assert_string_equal(outcome.at_here.peer, endpoint);
			assert_int_equal(outcome.has_refusal, rows[i].refused);
		}
		if (rows[i].refused) {
			assert_memory_equal(outcome.refusal.key, rows[i].controller->public,
					    KEY_SIZE);
			assert_string_equal(outcome.refusal.address, "127.0.0.1");
		} else if (!rows[i].arrives) {
			assert_true(outcome.there);
			assert_int_equal(outcome.at_there.failure, rows[i].there);
			/* Known while the connection still stands. */
			if (outcome.at_there.peer[0])
				assert_string_equal(outcome.at_there.peer, "127.0.0.1");
		}
		channel_disconnect(controller, endpoint, &peer);
		channel_free(controller, 0);
		channel_free(agent, 0);
	}
}

/* One socket of a controller holds hosts with keys of their own, and such without. */
static void each_connect_has_its_own_key(void **state)
{
	char endpoint[64], plain_endpoint[64];
	struct error err;
	struct outcome outcome;

	(void)state;
	struct channel *plain = listen_with(NULL, plain_endpoint);
	struct channel *agent = listen_with(&agent_key, endpoint);
	struct channel *controller = channel_new(&err);
	struct channel_peer wrong = knock(controller, endpoint, &controller_key, &other_key);
	outcome = watch(agent, controller);
	assert_false(outcome.arrived);
	channel_disconnect(controller, endpoint, &wrong);
	knock(controller, plain_endpoint, NULL, NULL);
	outcome = watch(plain, controller);
	assert_true(outcome.arrived);
	knock(controller, endpoint, &controller_key, &agent_key);
	outcome = watch(agent, controller);
	assert_true(outcome.arrived);
	channel_free(controller, 0);
	channel_free(agent, 0);
	channel_free(plain, 0);
}

static void after_a_disconnect_nothing_is_tried_again(void **state)
{
	char endpoint[64];
	struct error err;
	struct channel_peer from;
	struct bytes frame;

	(void)state;
	struct channel *agent = listen_with(&agent_key, endpoint);
	struct channel *controller = channel_new(&err);
	struct channel_peer peer = knock(controller, endpoint, &stranger_key, &agent_key);
	assert_true(watch(agent, controller).here);
	channel_disconnect(controller, endpoint, &peer);
	for (int i = 0; i < 10; i++) /* what was under way */
		channel_receive(agent, 10, &from, &frame);
	struct auth_refusal refusal;
	channel_refusal(agent, &refusal);
	assert_int_equal(channel_receive(agent, 1000, &from, &frame), 0);
	assert_false(channel_refusal(agent, &refusal));
	channel_free(controller, 0);
	channel_free(agent, 0);
}

/* Two doors in one process would share their lists: the second is refused. */
static void there_is_one_door_in_a_process(void **state)
{
	char endpoint[64];
	struct error err;

	(void)state;
	struct channel *agent = listen_with(&agent_key, endpoint);
	assert_null(channel_bind_secure("tcp://127.0.0.1:*", &other_key,
					(const void *)controller_key.public, 1, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	channel_free(agent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_learn_what_came_of_it),
		cmocka_unit_test(each_connect_has_its_own_key),
		cmocka_unit_test(after_a_disconnect_nothing_is_tried_again),
		cmocka_unit_test(there_is_one_door_in_a_process),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
