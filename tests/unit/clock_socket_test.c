#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "common/clock.h"
#include "proto/clock_socket.h"

#define ROUNDS 50

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static struct clock_socket *open_loopback(void)
{
	struct sockaddr_in address = loopback(0);
	struct error err;
	struct clock_socket *socket =
		clock_socket_open((const struct sockaddr *)&address, sizeof(address), &err);
	assert_non_null(socket);
	assert_true(clock_socket_port(socket) != 0);
	return socket;
}

static int send_to(struct clock_socket *from, uint16_t port, const void *data, size_t size,
		   uint32_t *number, uint64_t *before_ns)
{
	struct sockaddr_in to = loopback(port);
	return clock_socket_send(from, data, size, (const struct sockaddr *)&to, sizeof(to), number,
				 before_ns);
}

/* One clock here, so what happens later has the later instant, but for what is stated as error. */
static void stamps_lie_in_the_order_of_what_they_stamp(void **state)
{
	(void)state;
	struct clock_socket *a = open_loopback(), *b = open_loopback();
	unsigned kernel_sent = 0, kernel_received = 0;
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct clock_datagram came;
		uint32_t number, sent_error_ns;
		uint64_t before_ns, sent_ns;
		assert_int_equal(send_to(a, clock_socket_port(b), "tick", 4, &number, &before_ns),
				 0);
		assert_int_equal(number, i);
		assert_int_equal(clock_socket_receive(b, 5000, &came), 1);
		uint64_t now = clock_now_ns();
		assert_int_equal(came.size, 4);
		assert_memory_equal(came.data, "tick", 4);
		assert_true(came.at_ns <= came.seen_ns && came.seen_ns <= now);
		assert_true(before_ns <= came.at_ns + came.error_ns);
		kernel_received += came.kernel;
		if (!clock_socket_sent(a, number, &sent_ns, &sent_error_ns))
			continue;
		kernel_sent++;
		assert_true(before_ns <= sent_ns);
		assert_true(sent_ns <= came.at_ns + came.error_ns + sent_error_ns);
	}
	print_message("%u of %u stamped by the kernel as they left, %u as they came\n", kernel_sent,
		      ROUNDS, kernel_received);
	assert_true(kernel_sent == 0 || clock_socket_kernel_send(a));
	assert_true(kernel_received == 0 || clock_socket_kernel_receive(b));
	bool has_kernel = clock_socket_kernel_send(a) && clock_socket_kernel_receive(b);
	clock_socket_close(a);
	clock_socket_close(b);
	if (!has_kernel) {
		print_message("skipped: this system does not stamp datagrams\n");
		skip();
	}
	assert_in_range(kernel_sent, 1, ROUNDS);
	assert_in_range(kernel_received, 1, ROUNDS);
}

static void a_number_that_was_never_sent_has_no_stamp(void **state)
{
	(void)state;
	struct clock_socket *a = open_loopback();
	uint64_t at_ns;
	uint32_t error_ns;
	assert_false(clock_socket_sent(a, 0, &at_ns, &error_ns));
	assert_false(clock_socket_sent(a, 1, &at_ns, &error_ns));
	assert_false(clock_socket_sent(a, UINT32_MAX, &at_ns, &error_ns));
	clock_socket_close(a);
}

/* A send that fails may or may not be counted by the kernel: the numbers after it must hold. */
static void after_a_send_that_failed_stamps_still_belong_to_their_datagrams(void **state)
{
	(void)state;
	static unsigned char huge[70000];
	struct clock_socket *a = open_loopback(), *b = open_loopback();
	for (int i = 0; i < ROUNDS; i++) {
		struct clock_datagram came;
		uint32_t number, error_ns;
		uint64_t before_ns, at_ns;
		assert_true(send_to(a, clock_socket_port(b), huge, sizeof(huge), &number,
				    &before_ns) < 0);
		assert_int_equal(send_to(a, clock_socket_port(b), "tick", 4, &number, &before_ns),
				 0);
		assert_int_equal(clock_socket_receive(b, 5000, &came), 1);
		bool is_known = clock_socket_sent(a, number, &at_ns, &error_ns);
		assert_int_equal(is_known, clock_socket_kernel_send(a));
		if (is_known)
			assert_in_range(at_ns, before_ns, came.at_ns + came.error_ns + error_ns);
	}
	clock_socket_close(a);
	clock_socket_close(b);
}

static void a_datagram_that_does_not_fit_has_the_size_of_none_of_ours(void **state)
{
	(void)state;
	unsigned char data[1000] = {0};
	struct clock_socket *a = open_loopback(), *b = open_loopback();
	static const size_t sizes[] = {0, 1, 256, 257, 1000};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct clock_datagram came;
		uint32_t number;
		uint64_t before_ns;
		assert_int_equal(
			send_to(a, clock_socket_port(b), data, sizes[i], &number, &before_ns), 0);
		assert_int_equal(clock_socket_receive(b, 5000, &came), 1);
		assert_int_equal(came.size,
				 sizes[i] < sizeof(came.data) ? sizes[i] : sizeof(came.data));
	}
	clock_socket_close(a);
	clock_socket_close(b);
}

/* What is queued on the socket (stamps, ICMP's refusal) makes poll return at once, and again. */
static void waiting_after_talking_to_nobody_waits(void **state)
{
	(void)state;
	struct clock_socket *a = open_loopback(), *gone = open_loopback();
	uint16_t port = clock_socket_port(gone);
	clock_socket_close(gone);
	for (int i = 0; i < 20; i++) {
		uint32_t number;
		uint64_t before_ns;
		send_to(a, port, "tick", 4, &number, &before_ns);
	}
	struct clock_datagram came;
	struct timespec before, after;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	uint64_t begin = clock_now_ns();
	assert_int_equal(clock_socket_receive(a, 300, &came), 0);
	assert_true(clock_now_ns() - begin >= 290 * NS_PER_MS);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	int64_t used_ns = (int64_t)(after.tv_sec - before.tv_sec) * (int64_t)NS_PER_S +
			  after.tv_nsec - before.tv_nsec;
	assert_true(used_ns < (int64_t)(150 * NS_PER_MS));
	clock_socket_close(a);
}

static void a_wake_ends_the_next_wait_and_no_more(void **state)
{
	(void)state;
	struct clock_socket *a = open_loopback();
	struct clock_datagram came;
	for (int i = 0; i < 1000; i++)
		clock_socket_wake(a);
	uint64_t begin = clock_now_ns();
	assert_int_equal(clock_socket_receive(a, 60000, &came), 0);
	assert_true(clock_now_ns() - begin < 60 * NS_PER_S);
	begin = clock_now_ns();
	assert_int_equal(clock_socket_receive(a, 20, &came), 0);
	assert_true(clock_now_ns() - begin >= 19 * NS_PER_MS);
	clock_socket_close(a);
}

static void a_port_that_is_taken_is_an_error_that_says_so(void **state)
{
	(void)state;
	struct clock_socket *a = open_loopback();
	struct sockaddr_in address = loopback(clock_socket_port(a));
	struct error err;
	assert_null(clock_socket_open((const struct sockaddr *)&address, sizeof(address), &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.text, "bind"));
	clock_socket_close(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_lie_in_the_order_of_what_they_stamp),
		cmocka_unit_test(a_number_that_was_never_sent_has_no_stamp),
		cmocka_unit_test(after_a_send_that_failed_stamps_still_belong_to_their_datagrams),
		cmocka_unit_test(a_datagram_that_does_not_fit_has_the_size_of_none_of_ours),
		cmocka_unit_test(waiting_after_talking_to_nobody_waits),
		cmocka_unit_test(a_wake_ends_the_next_wait_and_no_more),
		cmocka_unit_test(a_port_that_is_taken_is_an_error_that_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
