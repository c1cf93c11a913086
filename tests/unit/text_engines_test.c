#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/memory.h"
#include "controller/report/text_engines.h"
#include "tests/unit/sample_result.h"

static void set(struct result_phase *phase, uint32_t host, uint32_t target, const char *engine,
		const char *reason)
{
	struct result_target *one = &phase->hosts[host].targets[target];

	free(one->engine);
	free(one->engine_reason);
	one->engine = mem_text(engine);
	one->engine_reason = mem_text(reason);
}

static char *print(const struct result_phase *phase)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	text_engines_print(phase, 0, file);
	fclose(file);
	return text;
}

static void require_text(const struct result_phase *phase, const char *want)
{
	char *is = print(phase);

	assert_string_equal(is, want);
	free(is);
}

static void one_engine_for_all_is_one_line(void **state)
{
	struct sample sample = {0};
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 3);

	(void)state;
	require_text(phase, "");
	for (uint32_t i = 0; i < 6; i++)
		set(phase, i / 3, i % 3, "sync", "auto: it is cheaper");
	require_text(phase, "engine sync; auto: it is cheaper\n");
	sample_release(&sample);
}

static void engines_that_differ_name_their_targets(void **state)
{
	struct sample sample = {0};
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 3);

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		set(phase, i / 3, i % 3, "uring", NULL);
	set(phase, 1, 1, "aio", "asked for");
	require_text(phase, "engine uring on h1 t1, h1 t2, h1 t3, h2 t1 and 1 more\n"
			    "engine aio on h2 t2; asked for\n");
	phase->hosts[0].targets_count = 0; /* a host that refused */
	require_text(phase, "engine uring on h2 t1, h2 t3\nengine aio on h2 t2; asked for\n");
	phase->hosts[0].targets_count = 3;
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_engine_for_all_is_one_line),
		cmocka_unit_test(engines_that_differ_name_their_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
