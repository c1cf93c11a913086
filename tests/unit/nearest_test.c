#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "common/nearest.h"

static void the_name_that_was_meant_is_nearest(void **state)
{
	static const char *const names[] = {"block_size", "runtime", "ramp", "read", "random",
					    "sequential", "size",    "sync", "op"};
	static const struct {
		const char *found, *want;
	} cases[] = {
		{"blok_size", "block_size"},   /* left out */
		{"block_ssize", "block_size"}, /* added */
		{"blocksize", "block_size"},   /* left out */
		{"bolck_size", "block_size"},  /* swapped */
		{"BLOCK-SIZE", "block_size"},  /* case, changed */
		{"runtim", "runtime"},
		{"reda", "read"},
		{"siez", "size"},
		{"seq", "sequential"}, /* a beginning */
		{"rand", "random"},
		{"read", "read"},
		{"zzz", NULL},
		{"x", NULL},
		{"", NULL},
		{"a_name_that_is_much_longer_than_any_that_is_legal_here", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nearest nearest = nearest_start(cases[i].found);
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			nearest_try(&nearest, names[j]);
		const char *name = nearest.name ? nearest.name : "none";
		if (strcmp(name, cases[i].want ? cases[i].want : "none") != 0)
			fail_msg("'%s': %s", cases[i].found, name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_that_was_meant_is_nearest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
