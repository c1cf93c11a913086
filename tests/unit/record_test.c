#include <stdlib.h>
#include <string.h>

#include "tests/unit/record_sample.h"

static void a_copy_owns_all_it_has(void **state)
{
	struct sample from = sample_full(), into;

	(void)state;
	memset(&into, 0xff, sizeof(into)); /* it may be uninitialised */
	record_copy(&sample_table, &into, &from);
	sample_assert_equal(&from, &into);
	assert_ptr_not_equal(from.name, into.name);
	assert_ptr_not_equal(from.parts[0].parts[0].name, into.parts[0].parts[0].name);
	record_release(&sample_table, &from);
	assert_string_equal(into.parts[0].parts[0].name, "q");
	assert_int_equal(into.maybe->count, 1024);
	record_release(&sample_table, &into);
}

static void a_copy_of_nothing_is_nothing(void **state)
{
	struct sample from = {0}, into;

	(void)state;
	memset(&into, 0xff, sizeof(into));
	record_copy(&sample_table, &into, &from);
	assert_null(into.name);
	assert_null(into.maybe);
	assert_null(into.parts);
	assert_int_equal(into.parts_count, 0);
	record_release(&sample_table, &into);
}

static void release_zeroes_and_may_be_done_again(void **state)
{
	struct sample s = sample_full(), zero;

	(void)state;
	memset(&zero, 0, sizeof(zero));
	record_release(&sample_table, &s);
	assert_memory_equal(&s, &zero, sizeof(s));
	record_release(&sample_table, &s);
}

static void append_gives_a_zeroed_element_and_keeps_the_others(void **state)
{
	struct part *parts = NULL;
	uint32_t count = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct part *part = RECORD_APPEND(parts, count);
		assert_null(part->name);
		assert_int_equal(part->size, 0);
		part->size = i;
	}
	assert_int_equal(count, 100);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(parts[i].size, i);
	free(parts);
}

static void an_enumeration_is_found_by_its_whole_name(void **state)
{
	(void)state;
	assert_int_equal(record_enum_find(mode_names, "true"), 0);
	assert_int_equal(record_enum_find(mode_names, "false"), 2);
	assert_int_equal(record_enum_find(mode_names, "fals"), -1);
	assert_int_equal(record_enum_find(mode_names, "False"), -1);
	assert_int_equal(record_enum_find(mode_names, ""), -1);
}

static uint64_t fingerprint_of(const struct record_row *rows, uint32_t count)
{
	struct record_table table = {.name = "t", .rows = rows, .count = count};

	return record_fingerprint(RECORD_FINGERPRINT_START, &table);
}

static void a_fingerprint_tells_whatever_changes_the_bytes(void **state)
{
	static const char *const ab[] = {"a", "b", NULL}, *const ba[] = {"b", "a", NULL};
	static const char *const joined[] = {"ab", NULL};
	static const struct record_row inside[] = {{.key = "x"}}, other_inside[] = {{.key = "y"}};
	static const struct record_table inner = {.rows = inside, .count = 1};
	static const struct record_table other_inner = {.rows = other_inside, .count = 1};
	static const struct record_row variants[][2] = {
		{{.key = "a"}, {.key = "b"}},
		{{.key = "b"}, {.key = "a"}},
		{{.key = "a"}, {.key = "c"}},
		{{.key = "ab"}, {.key = ""}},
		{{.key = "a", .kind = RECORD_U32}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_U64}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_U32, .names = ab}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_U32, .names = ba}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_U32, .names = joined}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_ONE, .table = &inner}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_ONE, .table = &other_inner}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_MAYBE, .table = &inner}, {.key = "b"}},
		{{.key = "a", .kind = RECORD_LIST, .table = &inner}, {.key = "b"}},
	};
	enum { COUNT = sizeof(variants) / sizeof(variants[0]) };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < i; j++)
			if (fingerprint_of(variants[i], 2) == fingerprint_of(variants[j], 2))
				fail_msg("rows %zu and %zu have one fingerprint", i, j);
	assert_true(fingerprint_of(variants[0], 1) != fingerprint_of(variants[0], 2));
}

static void a_fingerprint_ignores_what_is_for_people(void **state)
{
	static const struct record_row plain[] = {{.key = "a", .kind = RECORD_U64}};
	static const struct record_row documented[] = {
		{.key = "a", .kind = RECORD_U64, .doc = "text", .fallback = "1"}};

	(void)state;
	assert_true(fingerprint_of(plain, 1) == fingerprint_of(documented, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_owns_all_it_has),
		cmocka_unit_test(a_copy_of_nothing_is_nothing),
		cmocka_unit_test(release_zeroes_and_may_be_done_again),
		cmocka_unit_test(append_gives_a_zeroed_element_and_keeps_the_others),
		cmocka_unit_test(an_enumeration_is_found_by_its_whole_name),
		cmocka_unit_test(a_fingerprint_tells_whatever_changes_the_bytes),
		cmocka_unit_test(a_fingerprint_ignores_what_is_for_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
