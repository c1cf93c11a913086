#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/log.h"
#include "controller/plan_warn.h"

#define GIB UINT64_C(1073741824)

/* How many kinds of warning a plan has on hosts of so much memory. */
static void doubtful_plans_are_warned_of(void **state)
{
	static const struct {
		const char *phase;
		uint64_t memory;
		uint32_t warnings;
	} rows[] = {
		{"runtime: 60s", 0, 0},
		{"runtime: 30s", 0, 1},
		{"runtime: 60s, direct: false", 0, 1},
		{"runtime: 60s, direct: false", 8 * GIB, 1}, /* twice as much */
		{"runtime: 60s, direct: false", 8 * GIB + 1, 2},
		{"runtime: 60s", 64 * GIB, 0},
		{"runtime: 60s, direct: false, cache: allowed", 64 * GIB, 1},
	};

	(void)state;
	log_init("test", LOG_LEVEL_ERROR);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		struct plan plan;
		struct yaml_errors errors = {.file = "p"};
		struct result_host hosts[2] = {
			{.host = (char *)"local1", .memory_bytes = rows[i].memory},
			{.host = (char *)"local2", .memory_bytes = rows[i].memory}};
		snprintf(text, sizeof(text),
			 "name: n\nfleet: {agents: [{local: 2}]}\n"
			 "targets: {t: {path: ., size: 16GiB}}\n"
			 "phases: [{name: p, op: read, targets: [t], %s}]\n",
			 rows[i].phase);
		if (!plan_parse(&plan, text, strlen(text), NULL, 0, &errors))
			fail_msg("%s", errors.lines[0]);
		uint32_t found =
			plan_warn(&plan, rows[i].memory ? hosts : NULL, rows[i].memory ? 2 : 0);
		if (found != rows[i].warnings)
			fail_msg("row %zu: %u warnings, not %u", i, found, rows[i].warnings);
		plan_release(&plan);
	}
}

/* What may be meant as a port is warned of, what says what it is is not. */
static void an_address_that_ends_like_a_port_is_warned_of(void **state)
{
	static const struct {
		const char *host;
		uint32_t warnings;
	} rows[] = {
		{"2001:db8::1:9000", 1}, {"[2001:db8::1:9000]", 0},   {"2001:db8::1", 0},
		{"2001:db8::90a0", 0},   {"2001:db8::1:900", 0},      {"store9000", 0},
		{"fe80::1%eth9000", 0},  {"a,2001:db8::1:9000,b", 1}, {"192.0.2.11", 0},
	};

	(void)state;
	log_init("test", LOG_LEVEL_ERROR);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];
		struct plan plan;
		struct yaml_errors errors = {.file = "p"};
		snprintf(text, sizeof(text),
			 "name: n\nfleet: {agents: [{host: \"%s\"}]}\n"
			 "targets: {t: {path: ., size: 16GiB}}\n"
			 "phases: [{name: p, op: read, targets: [t], runtime: 60s}]\n",
			 rows[i].host);
		if (!plan_parse(&plan, text, strlen(text), NULL, 0, &errors))
			fail_msg("%s", errors.lines[0]);
		uint32_t found = plan_warn(&plan, NULL, 0);
		if (found != rows[i].warnings)
			fail_msg("%s: %u warnings, not %u", rows[i].host, found, rows[i].warnings);
		plan_release(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubtful_plans_are_warned_of),
		cmocka_unit_test(an_address_that_ends_like_a_port_is_warned_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
