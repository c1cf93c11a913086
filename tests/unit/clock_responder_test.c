#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "agent/clock_responder.h"
#include "common/clock.h"
#include "proto/clock_socket.h"

#define SESSION 4711

static const unsigned char secret[CLOCK_KEY_SIZE] = "0123456789abcdef0123456789abcdef";

static struct clock_responder *responder;
static struct clock_socket *probe;
static struct clock_key *key;

static int set_up(void **state)
{
	(void)state;
	const struct sockaddr_in any = {.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct error err;
	responder = clock_responder_new("tcp://127.0.0.1:0", &err);
	probe = clock_socket_open((const struct sockaddr *)&any, sizeof(any), &err);
	key = clock_key_new(secret);
	if (!responder || !probe)
		return -1;
	clock_responder_set(responder, SESSION, secret);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	clock_responder_free(responder);
	clock_socket_close(probe);
	clock_key_free(key);
	return 0;
}

static void send_bytes(const void *data, size_t size)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(clock_responder_port(responder)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	uint32_t number;
	uint64_t before_ns;
	assert_int_equal(clock_socket_send(probe, data, size, (const struct sockaddr *)&to,
					   sizeof(to), &number, &before_ns),
			 0);
}

static void send_ping(struct clock_packet ping)
{
	unsigned char data[CLOCK_PACKET_SIZE];
	clock_packet_pack(&ping, key, data);
	send_bytes(data, sizeof(data));
}

static struct clock_packet ping_of(uint32_t sequence)
{
	return (struct clock_packet){.kind = CLOCK_PACKET_PING,
				     .session = SESSION,
				     .sequence = sequence,
				     .t1 = clock_now_ns()};
}

static struct clock_packet expect_pong(uint32_t sequence)
{
	struct clock_datagram came;
	struct clock_packet pong;
	assert_int_equal(clock_socket_receive(probe, 10000, &came), 1);
	assert_true(clock_packet_unpack(&pong, key, came.data, came.size));
	assert_int_equal(pong.kind, CLOCK_PACKET_PONG);
	assert_int_equal(pong.session, SESSION);
	assert_int_equal(pong.sequence, sequence);
	return pong;
}

/* A ping after it is answered by then, and what comes first is its answer. */
static void expect_no_answer_so_far(uint32_t next_sequence)
{
	send_ping(ping_of(next_sequence));
	expect_pong(next_sequence);
}

/* A pong is there before it is counted. */
static void wait_for_counts(uint64_t answered, uint64_t dropped)
{
	struct clock_responder_counts counts = clock_responder_counts(responder);
	for (int i = 0; i < 2000 && counts.answered + counts.dropped < answered + dropped; i++) {
		clock_sleep(5 * NS_PER_MS);
		counts = clock_responder_counts(responder);
	}
	assert_int_equal(counts.answered, answered);
	assert_int_equal(counts.dropped, dropped);
}

static void a_pong_tells_when_its_ping_came_and_when_the_pong_before_left(void **state)
{
	(void)state;
	struct clock_packet before = {0};
	for (uint32_t i = 1; i <= 20; i++) {
		struct clock_packet ping = ping_of(10 * i);
		send_ping(ping);
		struct clock_packet pong = expect_pong(ping.sequence);
		uint64_t now = clock_now_ns();
		assert_int_equal(pong.t1, ping.t1);
		assert_true(ping.t1 <= pong.t2 + pong.t2_error_ns);
		assert_true(pong.t2 <= pong.t3 && pong.t3 <= now);
		assert_int_equal(pong.previous, before.sequence);
		if (i > 1) {
			assert_true(before.t3 <= pong.previous_t3);
			assert_true(pong.previous_t3 <=
				    pong.t2 + pong.t2_error_ns + pong.previous_t3_error_ns);
		}
		before = pong;
	}
	wait_for_counts(20, 0);
}

static void with_a_kernel_that_stamps_pongs_say_when_they_left(void **state)
{
	(void)state;
	if (!clock_socket_kernel_send(probe)) {
		print_message("skipped: this system does not stamp datagrams\n");
		skip();
	}
	unsigned stamped = 0;
	for (uint32_t i = 1; i <= 20; i++) {
		send_ping(ping_of(i));
		struct clock_packet pong = expect_pong(i);
		stamped += pong.kernel_previous_t3;
		assert_int_equal(pong.previous, i - 1);
	}
	assert_in_range(stamped, 1, 19);
}

static void only_fresh_pings_of_its_session_are_answered(void **state)
{
	(void)state;
	const struct clock_packet good = ping_of(100);
	unsigned char data[2 * CLOCK_PACKET_SIZE] = {0};
	send_ping(good);
	expect_pong(100);
	struct clock_packet replayed = good, older = good, other = good, pong = good;
	older.sequence = 99;
	other.sequence = pong.sequence = 101;
	other.session++;
	pong.kind = CLOCK_PACKET_PONG;
	send_ping(replayed);
	send_ping(older);
	send_ping(other);
	send_ping(pong);
	struct clock_packet forged = ping_of(102);
	clock_packet_pack(&forged, key, data);
	data[20] ^= 1;
	send_bytes(data, CLOCK_PACKET_SIZE);
	data[20] ^= 1;
	send_bytes(data, CLOCK_PACKET_SIZE - 1);
	send_bytes(data, CLOCK_PACKET_SIZE + 1);
	send_bytes(data, 0);
	send_bytes("garbage", 7);
	expect_no_answer_so_far(103);
	wait_for_counts(2, 9);
}

static void without_a_session_nobody_is_answered(void **state)
{
	(void)state;
	clock_responder_set(responder, SESSION, NULL);
	send_ping(ping_of(1));
	wait_for_counts(0, 1);
	clock_responder_set(responder, SESSION, secret);
	expect_no_answer_so_far(2);
	wait_for_counts(1, 1);
}

static void a_new_session_begins_anew_and_ends_the_old(void **state)
{
	(void)state;
	unsigned char other[CLOCK_KEY_SIZE] = {1};
	send_ping(ping_of(50));
	expect_pong(50);
	clock_responder_set(responder, SESSION + 1, other);
	send_ping(ping_of(51));
	wait_for_counts(1, 1);
	clock_responder_set(responder, SESSION, secret);
	send_ping(ping_of(1));
	assert_int_equal(expect_pong(1).previous, 0);
}

static void an_endpoint_that_cannot_be_had_is_an_error_that_names_it(void **state)
{
	(void)state;
	static const char *const cases[] = {"nonsense", "tcp://192.0.2.1:7411",
					    "tcp://x.invalid:1"};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err;
		print_message("%s\n", cases[i]);
		assert_null(clock_responder_new(cases[i], &err));
		assert_int_equal(err.kind, ERROR_SYSTEM);
		assert_non_null(strstr(err.text, cases[i]));
	}
}

static void it_ends_before_its_wait_does(void **state)
{
	(void)state;
	struct error err;
	uint64_t begin = clock_now_ns();
	for (int i = 0; i < 20; i++) {
		struct clock_responder *idle = clock_responder_new("tcp://127.0.0.1:0", &err);
		assert_non_null(idle);
		clock_responder_free(idle);
	}
	assert_true(clock_now_ns() - begin < 10 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_pong_tells_when_its_ping_came_and_when_the_pong_before_left, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(with_a_kernel_that_stamps_pongs_say_when_they_left,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_fresh_pings_of_its_session_are_answered,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_session_nobody_is_answered, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_new_session_begins_anew_and_ends_the_old, set_up,
						tear_down),
		cmocka_unit_test(an_endpoint_that_cannot_be_had_is_an_error_that_names_it),
		cmocka_unit_test(it_ends_before_its_wait_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
