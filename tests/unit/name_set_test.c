#include "common/name_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "common/memory.h"

#define MANY 5000

static void names_are_found_where_they_stand(void **state)
{
	(void)state;
	struct name_set set = {0};

	assert_int_equal(name_set_find(&set, "h0"), UINT32_MAX);
	for (uint32_t i = 0; i < MANY; i++)
		assert_true(name_set_add(&set, mem_format("h%u", i)));
	for (uint32_t i = 0; i < MANY; i++) {
		char *name = mem_format("h%u", i);
		assert_int_equal(name_set_find(&set, name), i);
		free(name);
	}
	assert_int_equal(name_set_find(&set, "h5000"), UINT32_MAX);
	assert_int_equal(name_set_find(&set, ""), UINT32_MAX);
	name_set_release(&set);
}

static void what_was_removed_is_found_no_more(void **state)
{
	(void)state;
	struct name_set set = {0};

	name_set_add(&set, mem_text("a"));
	name_set_add(&set, mem_text("b"));
	assert_false(name_set_add(&set, mem_text("a")));
	assert_true(name_set_remove(&set, "a"));
	assert_int_equal(name_set_find(&set, "a"), UINT32_MAX);
	assert_int_equal(name_set_find(&set, "b"), 1);
	assert_true(name_set_add(&set, mem_text("a")));
	assert_int_equal(name_set_find(&set, "a"), 2);
	name_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_where_they_stand),
		cmocka_unit_test(what_was_removed_is_found_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
