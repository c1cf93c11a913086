#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/endpoint.h"

static void endpoints_are_split_or_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *host, *port;
	} rows[] = {
		{"tcp://store01:7411", "store01", "7411"},
		{"tcp://127.0.0.1:*", "127.0.0.1", "*"},
		{"tcp://[fe80::1%eth0]:7411", "fe80::1%eth0", "7411"},
		{"tcp://[::1]:7411", "::1", "7411"},
		{"tcp://::1:7411", NULL, NULL},
		{"tcp://host", NULL, NULL},
		{"tcp://:7411", NULL, NULL},
		{"tcp://host:", NULL, NULL},
		{"tcp://[]:7411", NULL, NULL},
		{"tcp://[::1:7411", NULL, NULL},
		{"tcp://host:123456789", NULL, NULL},
		{"ipc:///tmp/x", NULL, NULL},
		{"", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char host[ENDPOINT_HOST_SIZE], port[ENDPOINT_PORT_SIZE];
		bool fine = endpoint_split(rows[i].text, host, port);
		if (fine != (rows[i].host != NULL))
			print_error("row '%s'\n", rows[i].text);
		assert_true(fine == (rows[i].host != NULL));
		assert_string_equal(host, rows[i].host ? rows[i].host : "");
		assert_string_equal(port, rows[i].port ? rows[i].port : "");
	}
}

static void only_written_loopback_addresses_count(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool loopback;
	} rows[] = {
		{"tcp://127.0.0.1:7411", true},
		{"tcp://127.9.9.9:1", true},
		{"tcp://localhost:1", true},
		{"tcp://[::1]:1", true},
		{"tcp://0.0.0.0:1", false},
		{"tcp://10.0.0.1:1", false},
		{"tcp://[::]:1", false},
		{"tcp://*:1", false},
		{"tcp://127.example.org:1", false},
		{"tcp://localhost.evil:1", false},
		{"127.0.0.1", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (endpoint_is_loopback(rows[i].text) != rows[i].loopback)
			print_error("row '%s'\n", rows[i].text);
		assert_true(endpoint_is_loopback(rows[i].text) == rows[i].loopback);
	}
}

/* ZeroMQ takes 99999 for 34463, and 0 for any port at all. */
static void one_listens_at_a_port_that_there_is(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool fine;
	} rows[] = {
		{"tcp://127.0.0.1:1", true},
		{"tcp://127.0.0.1:65535", true},
		{"tcp://*:*", true},
		{"tcp://[::1]:7411", true},
		{"tcp://127.0.0.1:0", false},
		{"tcp://127.0.0.1:65536", false},
		{"tcp://127.0.0.1:99999", false},
		{"tcp://127.0.0.1:7411x", false},
		{"tcp://127.0.0.1:-1", false},
		{"tcp://127.0.0.1:+1", false},
		{"tcp://127.0.0.1: 1", false},
		{"tcp://127.0.0.1:**", false},
		{"tcp://127.0.0.1:", false},
		{"ipc://x", false},
		{"tcp://::1:7411", false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (endpoint_can_listen(rows[i].text) != rows[i].fine)
			print_error("row '%s'\n", rows[i].text);
		assert_true(endpoint_can_listen(rows[i].text) == rows[i].fine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endpoints_are_split_or_refused),
		cmocka_unit_test(only_written_loopback_addresses_count),
		cmocka_unit_test(one_listens_at_a_port_that_there_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
