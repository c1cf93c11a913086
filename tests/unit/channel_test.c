#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/memory.h"
#include "proto/channel.h"

static struct channel *listener(char endpoint[64])
{
	struct error err;
	struct channel *channel = channel_bind("tcp://127.0.0.1:*", &err);
	assert_non_null(channel);
	snprintf(endpoint, 64, "tcp://127.0.0.1:%u", channel_port(channel));
	return channel;
}

static void send_text(struct channel *channel, const struct channel_peer *peer, const char *text)
{
	struct error err;
	struct bytes frame = {.data = (unsigned char *)mem_text(text), .size = strlen(text)};
	assert_int_equal(channel_send(channel, peer, &frame, &err), 0);
	free(frame.data);
}

static void expect_text(struct channel *channel, struct channel_peer *from, const char *text)
{
	struct bytes frame;
	assert_int_equal(channel_receive(channel, 5000, from, &frame), 1);
	assert_int_equal(frame.size, strlen(text));
	assert_memory_equal(frame.data, text, frame.size);
	free(frame.data);
}

static void a_frame_goes_there_and_its_answer_back(void **state)
{
	(void)state;
	char endpoint[64];
	struct error err;
	struct channel *agent = listener(endpoint), *controller = channel_new(&err);
	struct channel_peer to_agent, from;
	struct bytes none;
	assert_int_equal(channel_connect(controller, endpoint, &to_agent, &err), 0);
	/* Sent before the connection stands: it waits in the queue, which receiving serves. */
	send_text(controller, &to_agent, "hello");
	send_text(controller, &to_agent, "second");
	for (int i = 0; i < 100 && channel_receive(controller, 10, &from, &none) == 0; i++) {
		struct bytes frame;
		if (channel_receive(agent, 10, &from, &frame) == 1) {
			assert_memory_equal(frame.data, "hello", 5);
			free(frame.data);
			break;
		}
	}
	struct channel_peer to_controller = from;
	expect_text(agent, &from, "second");
	assert_true(channel_peer_is(&from, &to_controller));
	send_text(agent, &to_controller, "welcome");
	expect_text(controller, &from, "welcome");
	assert_true(channel_peer_is(&from, &to_agent));
	channel_free(controller, 0);
	channel_free(agent, 0);
}

static void sending_to_nobody_fills_the_queue_and_is_then_refused(void **state)
{
	(void)state;
	struct error err;
	struct channel *controller = channel_new(&err);
	struct channel_peer peer;
	struct bytes frame = {.data = mem_new(1 << 20, 1), .size = 1 << 20};
	/* Port 1 of the loopback: nobody listens there. */
	assert_int_equal(channel_connect(controller, "tcp://127.0.0.1:1", &peer, &err), 0);
	unsigned taken = 0;
	while (taken < 1000 && channel_send(controller, &peer, &frame, &err) == 0)
		taken++;
	assert_in_range(taken, CHANNEL_QUEUE_MAX >> 20,
			(CHANNEL_QUEUE_MAX >> 20) + CHANNEL_QUEUE_FRAMES);
	assert_non_null(strstr(err.text, "64 MiB"));
	channel_forget(controller, &peer);
	assert_int_equal(channel_send(controller, &peer, &frame, &err), 0);
	free(frame.data);
	channel_free(controller, 0);
}

static void who_takes_nothing_is_forgotten(void **state)
{
	(void)state;
	char endpoint[64];
	struct channel *agent = listener(endpoint);
	/* As a controller that asked and was gone before the answer. */
	struct channel_peer gone = {.id = "gone", .size = 4}, other = {.id = "other", .size = 5};
	uint64_t before = clock_now_ns();
	send_text(agent, &gone, "hello");
	send_text(agent, &other, "hello");
	assert_int_equal(channel_forget_idle(agent, before), 0);
	assert_int_equal(channel_forget_idle(agent, clock_now_ns() + 1), 2);
	assert_int_equal(channel_forget_idle(agent, clock_now_ns() + 1), 0);
	channel_free(agent, 0);
}

static void receiving_ends_in_time_without_a_frame(void **state)
{
	(void)state;
	char endpoint[64];
	struct channel *agent = listener(endpoint);
	struct channel_peer from;
	struct bytes frame;
	assert_int_equal(channel_receive(agent, 20, &from, &frame), 0);
	channel_free(agent, 0);
}

static void a_port_that_is_taken_is_an_error_that_says_so(void **state)
{
	(void)state;
	char endpoint[64];
	struct error err;
	struct channel *agent = listener(endpoint);
	assert_null(channel_bind(endpoint, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.text, endpoint));
	assert_null(channel_bind("nonsense", &err));
	channel_free(agent, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_goes_there_and_its_answer_back),
		cmocka_unit_test(sending_to_nobody_fills_the_queue_and_is_then_refused),
		cmocka_unit_test(who_takes_nothing_is_forgotten),
		cmocka_unit_test(receiving_ends_in_time_without_a_frame),
		cmocka_unit_test(a_port_that_is_taken_is_an_error_that_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
