#include "agent/failures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>

static void add(struct failures *kinds, enum io_kind op, int number, uint64_t offset,
		uint64_t at_ns)
{
	const struct failure one = {
		.op = op, .number = number, .count = 1, .first_offset = offset, .first_ns = at_ns};

	failures_add(kinds, &one);
}

static void errors_are_counted_by_kind_with_the_earliest_place(void **state)
{
	(void)state;
	struct failures kinds = {0};

	add(&kinds, IO_READ, EIO, 4096, 20);
	add(&kinds, IO_WRITE, EIO, 8192, 10);
	add(&kinds, IO_READ, EIO, 512, 15);
	add(&kinds, IO_READ, 0, 1024, 5);
	assert_int_equal(kinds.count, 3);
	assert_int_equal(kinds.all[0].count, 2);
	assert_int_equal(kinds.all[0].first_offset, 512);
	assert_int_equal(kinds.all[1].op, IO_WRITE);
	assert_int_equal(kinds.all[1].first_offset, 8192);
	assert_int_equal(kinds.all[2].number, 0);
}

static void none_is_lost_where_there_are_too_many_kinds(void **state)
{
	(void)state;
	struct failures kinds = {0};
	uint64_t count = 0;

	for (int number = 1; number <= 30; number++)
		add(&kinds, IO_READ, number, 0, (uint64_t)number);
	assert_int_equal(kinds.count, FAILURES_MOST);
	assert_int_equal(kinds.all[FAILURES_MOST - 1].number, FAILURES_OTHER);
	for (uint32_t i = 0; i < kinds.count; i++)
		count += kinds.all[i].count;
	assert_int_equal(count, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_counted_by_kind_with_the_earliest_place),
		cmocka_unit_test(none_is_lost_where_there_are_too_many_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
