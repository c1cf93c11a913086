/* Names are looked up once; who is silent is asked by address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "controller/reach.h"

static void an_endpoint_is_resolved_to_digits(void **state)
{
	static const struct {
		const char *endpoint, *want;
	} cases[] = {
		{"tcp://127.0.0.1:7411", "tcp://127.0.0.1:7411"},
		{"tcp://[::1]:9", "tcp://[::1]:9"},
		{"tcp://[0::0001]:65535", "tcp://[::1]:65535"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct reach reach;
		struct error err = {0};
		assert_int_equal(reach_resolve(&reach, cases[i].endpoint, &err), 0);
		assert_string_equal(reach.endpoint, cases[i].want);
	}
}

static void a_name_becomes_an_address(void **state)
{
	struct reach reach;
	struct error err = {0};

	(void)state;
	assert_int_equal(reach_resolve(&reach, "tcp://localhost:7411", &err), 0);
	assert_true(!strcmp(reach.endpoint, "tcp://127.0.0.1:7411") ||
		    !strcmp(reach.endpoint, "tcp://[::1]:7411"));
}

static void a_name_without_address_is_named(void **state)
{
	struct reach reach;
	struct error err = {0};

	(void)state;
	assert_int_equal(reach_resolve(&reach, "tcp://no-such-host.invalid:7411", &err), -1);
	assert_non_null(strstr(err.text, "'no-such-host.invalid'"));
}

static void a_closed_port_is_told_from_a_stopped_agent(void **state)
{
	struct reach reach;
	struct error err = {0};
	struct reach_look look = {.reach = &reach, .silence_ns = 3000000000};

	(void)state;
	assert_int_equal(reach_resolve(&reach, "tcp://127.0.0.1:1", &err), 0);
	reach_look(&look, 1);
	assert_non_null(strstr(look.why, "no agent listens there"));
	free(look.why);
}

/* A socket that listens, takes nobody in and whose queue is full answers no further connection, as
 * a host whose network is lost. */
static void many_that_do_not_answer_take_as_long_as_one(void **state)
{
	enum { LOOKS = 20 };
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fill[4], server = socket(AF_INET, SOCK_STREAM, 0);
	struct reach deaf = {0}, closed;
	struct reach_look looks[LOOKS];
	struct error err = {0};

	(void)state;
	assert_int_equal(bind(server, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(server, 0), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &size), 0);
	for (int i = 0; i < 4; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fill[i], (struct sockaddr *)&address, size);
	}
	memcpy(&deaf.address, &address, size);
	deaf.size = size;
	assert_int_equal(reach_resolve(&closed, "tcp://127.0.0.1:1", &err), 0);
	for (int i = 0; i < LOOKS; i++)
		looks[i] = (struct reach_look){.reach = i == 7 ? &closed : &deaf,
					       .silence_ns = 3000000000};
	uint64_t began = clock_now_ns();
	reach_look(looks, LOOKS);
	/* One after the other it were 5.7 s. */
	assert_true(clock_now_ns() - began < 3 * NS_PER_S);
	for (int i = 0; i < LOOKS; i++) {
		assert_non_null(strstr(looks[i].why, i == 7 ? "no agent listens there"
							    : "the network does not reach it"));
		free(looks[i].why);
	}
	for (int i = 0; i < 4; i++)
		close(fill[i]);
	close(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_endpoint_is_resolved_to_digits),
		cmocka_unit_test(a_name_becomes_an_address),
		cmocka_unit_test(a_name_without_address_is_named),
		cmocka_unit_test(a_closed_port_is_told_from_a_stopped_agent),
		cmocka_unit_test(many_that_do_not_answer_take_as_long_as_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
