/* Controller's side and agent's in one process: one clock, so the truth is an offset of zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "agent/clock_responder.h"
#include "common/clock.h"
#include "controller/clock_exchange.h"
#include "proto/clock_socket.h"

#define SESSION 815
#define LONG_NS (20 * NS_PER_S) /* for what is known to come */

static const unsigned char secret[CLOCK_KEY_SIZE] = "0123456789abcdef0123456789abcdef";

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static struct clock_exchange_host host_at(uint16_t port, uint64_t session)
{
	struct clock_exchange_host host = {.session = session};
	struct sockaddr_in address = loopback(port);

	memcpy(&host.address, &address, sizeof(address));
	host.address_size = sizeof(address);
	memcpy(host.key, secret, sizeof(secret));
	return host;
}

static struct clock_responder *respond_at(uint16_t port)
{
	char endpoint[64];
	struct error err;

	snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", port);
	struct clock_responder *responder = clock_responder_new(endpoint, &err);
	assert_non_null(responder);
	clock_responder_set(responder, SESSION, secret);
	return responder;
}

static struct clock_exchange *exchange_with(uint32_t hosts)
{
	struct error err;
	struct clock_exchange *exchange = clock_exchange_new(hosts, &err);

	assert_non_null(exchange);
	clock_exchange_schedule(exchange, CLOCK_SCHEDULE_JOIN);
	return exchange;
}

static void wait_for_samples(struct clock_exchange *exchange, uint32_t host, uint32_t want)
{
	uint64_t end = clock_now_ns() + LONG_NS;

	while (clock_exchange_count(exchange, host) < want && clock_now_ns() < end)
		clock_sleep(5 * NS_PER_MS);
	assert_true(clock_exchange_count(exchange, host) >= want);
}

/* How many of the samples are the kernel's; each must hold the truth. */
static uint32_t check_samples(struct clock_exchange *exchange, uint32_t host)
{
	uint32_t count, kernel = 0;
	struct clock_sample *samples = clock_exchange_copy(exchange, host, 0, &count);

	assert_true(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		const struct clock_sample *s = &samples[i];
		assert_true(i == 0 || samples[i - 1].t1 <= s->t1);
		assert_true((int64_t)(s->t2 - s->t1) + s->upper_error_ns >= 0);
		assert_true((int64_t)(s->t3 - s->t4) - s->lower_error_ns <= 0);
		kernel += s->stamp == CLOCK_STAMP_KERNEL;
		assert_int_not_equal(s->stamp, CLOCK_STAMP_ZEROMQ);
	}
	free(samples);
	return kernel;
}

static void the_truth_lies_inside_every_sample_and_estimate(void **state)
{
	(void)state;
	struct clock_responder *responder = respond_at(0);
	struct clock_exchange *exchange = exchange_with(1);
	struct clock_exchange_host host = host_at(clock_responder_port(responder), SESSION);
	uint64_t begin = clock_now_ns();
	assert_false(clock_exchange_estimate(exchange, 0, begin, begin).known);
	clock_exchange_add(exchange, 0, &host);
	for (uint32_t want = 16; want <= 80; want += 4) {
		wait_for_samples(exchange, 0, want);
		for (uint64_t ahead = 0; ahead <= 2 * NS_PER_S; ahead += 100 * NS_PER_MS) {
			uint64_t now = clock_now_ns();
			struct clock_estimate estimate =
				clock_exchange_estimate(exchange, 0, now, now + ahead);
			assert_true(estimate.known);
			assert_true(estimate.lo_ns <= 0 && estimate.hi_ns >= 0);
		}
	}
	uint32_t kernel = check_samples(exchange, 0);
	assert_false(clock_exchange_wants_zeromq(exchange, 0));
	uint64_t dropped = clock_exchange_dropped(exchange);
	struct clock_responder_counts counts = clock_responder_counts(responder);
	assert_int_equal(counts.dropped, 0);
	/* Only what came after the 100 ms that are waited for, as on a busy machine it may. */
	assert_true(10 * dropped < counts.answered);
	clock_exchange_free(exchange);
	clock_responder_free(responder);
	print_message("%u samples are the kernel's\n", kernel);
	if (!counts.kernel_receive || !counts.kernel_send) {
		print_message("skipped: this system does not stamp datagrams\n");
		skip();
	}
	assert_true(kernel > 0);
}

static void both_families_of_addresses_are_reached(void **state)
{
	(void)state;
	static const char *const endpoints[] = {"tcp://127.0.0.1:0", "tcp://*:0", "tcp://[::1]:0"};
	struct clock_exchange *exchange = exchange_with(3);
	for (uint32_t i = 0; i < 3; i++) {
		struct error err;
		struct clock_responder *responder = clock_responder_new(endpoints[i], &err);
		if (!responder) {
			print_message("skipped: %s\n", err.text);
			continue;
		}
		uint16_t port = clock_responder_port(responder);
		struct clock_exchange_host host = host_at(port, SESSION);
		struct sockaddr_in6 address = {.sin6_family = AF_INET6,
					       .sin6_port = htons(port),
					       .sin6_addr = in6addr_loopback};
		if (i == 2) {
			memcpy(&host.address, &address, sizeof(address));
			host.address_size = sizeof(address);
		}
		clock_responder_set(responder, SESSION, secret);
		clock_exchange_add(exchange, i, &host);
		wait_for_samples(exchange, i, 16);
		clock_exchange_drop(exchange, i);
		check_samples(exchange, i);
		clock_responder_free(responder);
	}
	clock_exchange_free(exchange);
}

static void several_hosts_are_kept_apart(void **state)
{
	(void)state;
	struct clock_exchange *exchange = exchange_with(3);
	struct clock_responder *responders[3];
	for (uint32_t i = 0; i < 3; i++) {
		responders[i] = respond_at(0);
		struct clock_exchange_host host =
			host_at(clock_responder_port(responders[i]), SESSION + i);
		clock_responder_set(responders[i], SESSION + i, secret);
		clock_exchange_add(exchange, i, &host);
	}
	for (uint32_t i = 0; i < 3; i++)
		wait_for_samples(exchange, i, 20);
	clock_exchange_drop(exchange, 1);
	for (uint32_t i = 0; i < 3; i++)
		check_samples(exchange, i);
	clock_exchange_free(exchange);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(clock_responder_counts(responders[i]).answered >= 20);
		clock_responder_free(responders[i]);
	}
}

static void a_dropped_host_hears_nothing_more_and_keeps_its_samples(void **state)
{
	(void)state;
	struct clock_responder *responder = respond_at(0);
	struct clock_exchange *exchange = exchange_with(2);
	struct clock_exchange_host host = host_at(clock_responder_port(responder), SESSION);
	clock_exchange_add(exchange, 0, &host);
	wait_for_samples(exchange, 0, 16);
	clock_exchange_drop(exchange, 0);
	uint32_t before = clock_exchange_count(exchange, 0);
	assert_false(clock_exchange_wants_zeromq(exchange, 0));
	/* Another host's exchanges take time in which this one's would have come. */
	host.session = SESSION + 1;
	clock_responder_set(responder, SESSION + 1, secret);
	clock_exchange_add(exchange, 1, &host);
	wait_for_samples(exchange, 1, 60);
	assert_int_equal(clock_exchange_count(exchange, 0), before);
	assert_int_equal(check_samples(exchange, 0) <= before, true);
	clock_exchange_free(exchange);
	clock_responder_free(responder);
}

/* ---- an agent that is not to be trusted ---- */

struct impostor {
	struct clock_socket *socket;
	struct clock_key *key, *other_key;
	struct sockaddr_storage controller;
	socklen_t controller_size;
};

static void impostor_init(struct impostor *impostor)
{
	const unsigned char other[CLOCK_KEY_SIZE] = {9};
	const struct sockaddr_in address = loopback(0);
	struct error err;

	impostor->socket =
		clock_socket_open((const struct sockaddr *)&address, sizeof(address), &err);
	assert_non_null(impostor->socket);
	impostor->key = clock_key_new(secret);
	impostor->other_key = clock_key_new(other);
}

static void impostor_release(struct impostor *impostor)
{
	clock_socket_close(impostor->socket);
	clock_key_free(impostor->key);
	clock_key_free(impostor->other_key);
}

/* The pong that an honest agent would give to the next ping. */
static struct clock_packet next_pong(struct impostor *impostor)
{
	struct clock_datagram came;
	struct clock_packet packet;

	assert_int_equal(clock_socket_receive(impostor->socket, 10000, &came), 1);
	assert_true(clock_packet_unpack(&packet, impostor->key, came.data, came.size));
	assert_int_equal(packet.kind, CLOCK_PACKET_PING);
	impostor->controller = came.from;
	impostor->controller_size = came.from_size;
	packet.kind = CLOCK_PACKET_PONG;
	packet.t2 = came.at_ns;
	packet.t2_error_ns = came.error_ns;
	packet.t3 = clock_now_ns();
	return packet;
}

static void say(struct impostor *impostor, const void *data, size_t size)
{
	uint32_t number;
	uint64_t before_ns;

	assert_int_equal(clock_socket_send(impostor->socket, data, size,
					   (const struct sockaddr *)&impostor->controller,
					   impostor->controller_size, &number, &before_ns),
			 0);
}

static void say_packet(struct impostor *impostor, const struct clock_packet *packet,
		       struct clock_key *key)
{
	unsigned char data[CLOCK_PACKET_SIZE];

	clock_packet_pack(packet, key, data);
	say(impostor, data, sizeof(data));
}

static void wait_for_drops(struct clock_exchange *exchange, uint64_t want)
{
	uint64_t end = clock_now_ns() + LONG_NS;

	while (clock_exchange_dropped(exchange) < want && clock_now_ns() < end)
		clock_sleep(NS_PER_MS);
	assert_int_equal(clock_exchange_dropped(exchange), want);
}

static void what_is_forged_replayed_or_garbage_is_dropped_and_counted(void **state)
{
	(void)state;
	struct impostor agent;
	impostor_init(&agent);
	struct clock_exchange *exchange = exchange_with(1);
	struct clock_exchange_host host = host_at(clock_socket_port(agent.socket), SESSION);
	clock_exchange_add(exchange, 0, &host);
	struct clock_packet pong = next_pong(&agent), other = pong, ping = pong, ahead = pong;
	unsigned char data[2 * CLOCK_PACKET_SIZE] = {0};
	other.session++;
	ping.kind = CLOCK_PACKET_PING;
	ahead.sequence += 1000; /* the next ping may go out meanwhile */
	say_packet(&agent, &pong, agent.other_key);
	say_packet(&agent, &other, agent.key);
	say_packet(&agent, &ping, agent.key);
	say_packet(&agent, &ahead, agent.key);
	clock_packet_pack(&pong, agent.key, data);
	data[30] ^= 1;
	say(&agent, data, CLOCK_PACKET_SIZE);
	data[30] ^= 1;
	say(&agent, data, CLOCK_PACKET_SIZE - 1);
	say(&agent, data, CLOCK_PACKET_SIZE + 1);
	say(&agent, data, 0);
	say(&agent, "garbage", 7);
	wait_for_drops(exchange, 9);
	assert_int_equal(clock_exchange_count(exchange, 0), 0);
	/* By now the ping may have been given up: answer the next ones until one counts. */
	uint64_t dropped = 9;
	do {
		pong = next_pong(&agent);
		say_packet(&agent, &pong, agent.key);
		while (clock_exchange_count(exchange, 0) == 0 &&
		       clock_exchange_dropped(exchange) == dropped)
			clock_sleep(NS_PER_MS / 10);
		dropped = clock_exchange_dropped(exchange);
	} while (clock_exchange_count(exchange, 0) == 0);
	say_packet(&agent, &pong, agent.key);
	wait_for_drops(exchange, dropped + 1);
	assert_int_equal(clock_exchange_count(exchange, 0), 1);
	check_samples(exchange, 0);
	clock_exchange_free(exchange);
	impostor_release(&agent);
}

/* ---- no way through for datagrams ---- */

/* How long until the exchange over ZeroMQ is wanted. */
static uint64_t wait_for_want(struct clock_exchange *exchange, uint32_t host, uint64_t most_ns)
{
	uint64_t begin = clock_now_ns();

	while (!clock_exchange_wants_zeromq(exchange, host)) {
		assert_true(clock_now_ns() - begin < most_ns);
		clock_sleep(5 * NS_PER_MS);
	}
	return clock_now_ns() - begin;
}

/* Whether it is wanted within a second in which it would be due four times. */
static bool is_wanted_within_a_second(struct clock_exchange *exchange, uint32_t host)
{
	uint64_t end = clock_now_ns() + NS_PER_S;
	bool is_wanted = false;

	for (; clock_now_ns() < end; clock_sleep(5 * NS_PER_MS))
		is_wanted |= clock_exchange_wants_zeromq(exchange, host);
	return is_wanted;
}

static void a_host_whose_datagrams_vanish_wants_zeromq_until_they_come_back(void **state)
{
	(void)state;
	struct impostor mute;
	impostor_init(&mute);
	uint16_t port = clock_socket_port(mute.socket);
	struct clock_exchange *exchange = exchange_with(1);
	struct clock_exchange_host host = host_at(port, SESSION);
	clock_exchange_add(exchange, 0, &host);
	uint64_t took_ns = wait_for_want(exchange, 0, 10 * NS_PER_S);
	print_message("wanted after %llu ms\n", (unsigned long long)(took_ns / NS_PER_MS));
	assert_true(is_wanted_within_a_second(exchange, 0));
	impostor_release(&mute);
	struct clock_responder *responder = respond_at(port);
	wait_for_samples(exchange, 0, 2 * CLOCK_BURST);
	uint64_t end = clock_now_ns() + LONG_NS;
	while (is_wanted_within_a_second(exchange, 0))
		assert_true(clock_now_ns() < end);
	uint32_t before = clock_exchange_count(exchange, 0);
	wait_for_samples(exchange, 0, before + 2 * CLOCK_BURST);
	/* And again, when the agent's side goes away. */
	clock_responder_free(responder);
	wait_for_want(exchange, 0, 10 * NS_PER_S);
	check_samples(exchange, 0);
	clock_exchange_free(exchange);
}

static void wanting_follows_the_schedule(void **state)
{
	(void)state;
	struct impostor mute;
	impostor_init(&mute);
	struct clock_exchange *exchange = exchange_with(1);
	struct clock_exchange_host host = host_at(clock_socket_port(mute.socket), SESSION);
	clock_exchange_add(exchange, 0, &host);
	wait_for_want(exchange, 0, 10 * NS_PER_S);
	clock_exchange_schedule(exchange, CLOCK_SCHEDULE_OFF);
	assert_false(is_wanted_within_a_second(exchange, 0));
	clock_exchange_schedule(exchange, CLOCK_SCHEDULE_ARMED);
	wait_for_want(exchange, 0, 10 * NS_PER_S);
	clock_exchange_free(exchange);
	impostor_release(&mute);
}

static void samples_from_zeromq_are_taken_when_they_can_be(void **state)
{
	(void)state;
	struct clock_exchange *exchange = exchange_with(2);
	uint64_t now = clock_now_ns();
	struct clock_sample sample = {
		.t1 = now - 5000, .t2 = now - 4000, .t3 = now - 3000, .t4 = now};
	struct clock_sample wrong = {
		.t1 = now, .t2 = now - 4000, .t3 = now - 3000, .t4 = now - 5000};
	assert_true(clock_exchange_take(exchange, 1, &sample));
	assert_false(clock_exchange_take(exchange, 1, &wrong));
	assert_int_equal(clock_exchange_count(exchange, 0), 0);
	assert_int_equal(clock_exchange_count(exchange, 1), 1);
	struct clock_estimate estimate = clock_exchange_estimate(exchange, 1, now, now);
	assert_true(estimate.known && estimate.lo_ns <= 0 && estimate.hi_ns >= 0);
	clock_exchange_free(exchange);
}

static void it_ends_before_its_wait_does(void **state)
{
	(void)state;
	uint64_t begin = clock_now_ns();
	for (int i = 0; i < 20; i++) {
		struct error err;
		struct clock_exchange *exchange = clock_exchange_new(8, &err);
		assert_non_null(exchange);
		clock_exchange_free(exchange);
	}
	assert_true(clock_now_ns() - begin < 10 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_lies_inside_every_sample_and_estimate),
		cmocka_unit_test(both_families_of_addresses_are_reached),
		cmocka_unit_test(several_hosts_are_kept_apart),
		cmocka_unit_test(a_dropped_host_hears_nothing_more_and_keeps_its_samples),
		cmocka_unit_test(what_is_forged_replayed_or_garbage_is_dropped_and_counted),
		cmocka_unit_test(a_host_whose_datagrams_vanish_wants_zeromq_until_they_come_back),
		cmocka_unit_test(wanting_follows_the_schedule),
		cmocka_unit_test(samples_from_zeromq_are_taken_when_they_can_be),
		cmocka_unit_test(it_ends_before_its_wait_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
