/* Names are looked up once; who is silent is asked by address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

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

	(void)state;
	assert_int_equal(reach_resolve(&reach, "tcp://127.0.0.1:1", &err), 0);
	char *text = reach_describe(&reach, 3000000000);
	assert_non_null(strstr(text, "no agent listens there"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_endpoint_is_resolved_to_digits),
		cmocka_unit_test(a_name_becomes_an_address),
		cmocka_unit_test(a_name_without_address_is_named),
		cmocka_unit_test(a_closed_port_is_told_from_a_stopped_agent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
