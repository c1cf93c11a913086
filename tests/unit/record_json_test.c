#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/record_json.h"
#include "tests/unit/record_sample.h"

static const char full_text[] = "{\n"
				" \"name\": \"perc \\\"0\\\"\",\n"
				" \"flag\": true,\n"
				" \"mode\": \"false\",\n"
				" \"percent\": 70,\n"
				" \"size\": 1099511627776,\n"
				" \"offset\": -1234567890123,\n"
				" \"ratio\": 0.1,\n"
				" \"inner\": {\n"
				"  \"count\": 7,\n"
				"  \"wait\": 300\n"
				" },\n"
				" \"maybe\": {\n"
				"  \"count\": 1024,\n"
				"  \"wait\": 0\n"
				" },\n"
				" \"names\": [\n"
				"  \"a\",\n"
				"  \"\xc3\xa4,b\"\n"
				" ],\n"
				" \"labels\": {\n"
				"  \"os\": \"linux\"\n"
				" },\n"
				" \"parts\": {\n"
				"  \"p0\": {\n"
				"   \"size\": 4096,\n"
				"   \"parts\": [\n"
				"    \"q\"\n"
				"   ]\n"
				"  }\n"
				" },\n"
				" \"steps\": [\n"
				"  {\n"
				"   \"count\": 1,\n"
				"   \"wait\": 0\n"
				"  }\n"
				" ],\n"
				" \"total\": 9223372036854775807\n"
				"}\n";

static void members_stand_in_the_order_of_their_rows(void **state)
{
	struct sample sample = sample_full();
	char *text = record_json_format(&sample_table, &sample);

	(void)state;
	assert_string_equal(text, full_text);
	free(text);
	record_release(&sample_table, &sample);
}

static void what_is_formatted_is_parsed(void **state)
{
	struct sample sample = sample_full(), back = {0};
	struct error err;

	(void)state;
	assert_int_equal(record_json_parse(&sample_table, &back, full_text, &err), 0);
	sample_assert_equal(&sample, &back);
	record_release(&sample_table, &sample);
	record_release(&sample_table, &back);
}

static void what_is_absent_is_null_and_comes_back(void **state)
{
	struct label labels[] = {{(char *)"os", NULL}};
	struct sample sample = {.name = (char *)"x",
				.ratio = NAN,
				.inner = {.count = 1},
				.labels = labels,
				.labels_count = 1};
	struct sample back = {0};
	struct error err;
	char *text = record_json_format(&sample_table, &sample);

	(void)state;
	assert_non_null(strstr(text, "\"ratio\": null"));
	assert_non_null(strstr(text, "\"maybe\": null"));
	assert_non_null(strstr(text, "\"names\": []"));
	assert_non_null(strstr(text, "\"parts\": {}"));
	assert_non_null(strstr(text, "\"os\": null"));
	assert_int_equal(record_json_parse(&sample_table, &back, text, &err), 0);
	assert_true(isnan(back.ratio));
	assert_null(back.maybe);
	assert_null(back.labels[0].value);
	free(text);
	record_release(&sample_table, &back);
}

static void large_integers_are_clamped(void **state)
{
	struct part part = {.name = (char *)"x", .size = UINT64_MAX};
	char *text = record_json_format(&part_table, &part);

	(void)state;
	assert_non_null(strstr(text, "\"size\": 9223372036854775807"));
	free(text);
}

static void any_text_makes_legal_json(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a\"b\\c", "{\n \"name\": \"a\\\"b\\\\c\"\n}\n"},
		{"\x01\n\x7f", "{\n \"name\": \"\\u0001\\u000a\\u007f\"\n}\n"},
		{"\xff\xc3", "{\n \"name\": \"\xef\xbf\xbd\xef\xbf\xbd\"\n}\n"},
		{"a\xffz\xe2\x82\xac", "{\n \"name\": \"a\xef\xbf\xbdz\xe2\x82\xac\"\n}\n"},
		{"", "{\n \"name\": \"\"\n}\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct name name = {(char *)cases[i].text}, back = {0};
		struct error err;
		char *text = record_json_format(&name_table, &name);
		assert_string_equal(text, cases[i].want);
		assert_int_equal(record_json_parse(&name_table, &back, text, &err), 0);
		record_release(&name_table, &back);
		free(text);
	}
}

static void reals_come_back_exactly(void **state)
{
	static const double values[] = {
		0.1, 1.0 / 3, 800, 1e300, 5e-324, -0.0, 123456789.123456789};
	static const struct record_row rows[] = {{.key = "v", .kind = RECORD_F64}};
	const struct record_table table = {.name = "t", .size = 8, .rows = rows, .count = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		double back;
		struct error err;
		char *text = record_json_format(&table, &values[i]);
		assert_int_equal(record_json_parse(&table, &back, text, &err), 0);
		assert_memory_equal(&back, &values[i], sizeof(back));
		free(text);
	}
	double infinite = (double)INFINITY;
	char *text = record_json_format(&table, &infinite);
	assert_string_equal(text, "{\n \"v\": null\n}\n");
	free(text);
}

/* full_text with one part changed for another. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(full_text, from);

	assert_non_null(at);
	return mem_format("%.*s%s%s", (int)(at - full_text), full_text, to, at + strlen(from));
}

static void faults_are_told_with_their_path(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{" \"flag\": true,\n", "", "'flag' is missing"},
		{"\"flag\": true", "\"flga\": true", "'flga' is unknown"},
		{"\"flag\": true", "\"flag\": 1", "flag: is not true or false"},
		{"\"flag\": true", "\"flag\": null", "flag: is not true or false"},
		{"\"flag\": true", "\"flag\": true, \"flag\": true", "not JSON: line 3"},
		{"\"mode\": \"false\"", "\"mode\": \"fals\"", "mode: 'fals' is none of its names"},
		{"\"mode\": \"false\"", "\"mode\": 2", "mode: 'not text' is none"},
		{"\"percent\": 70", "\"percent\": 101", "percent: 101 is out of range"},
		{"\"percent\": 70", "\"percent\": -1", "percent: -1 is out of range"},
		{"\"percent\": 70", "\"percent\": 7.0", "percent: is not a whole number"},
		{"\"percent\": 70", "\"percent\": \"70\"", "percent: is not a whole number"},
		{"\"size\": 1099511627776", "\"size\": 9223372036854775808", "not JSON: line 6"},
		{"\"ratio\": 0.1", "\"ratio\": \"0.1\"", "ratio: is not a number"},
		{"\"ratio\": 0.1", "\"ratio\": NaN", "not JSON: line 8"},
		{"\"count\": 7", "\"count\": 0", "inner.count: 0 is out of range"},
		{"\"a\",", "5,", "names[0]: is not text"},
		{"\"linux\"", "[]", "labels.os: is not text"},
		{"\"size\": 4096", "\"size\": 1", "parts.p0.size: 1 is out of range"},
		{"\"size\": 4096", "\"name\": \"q\", \"size\": 4096",
		 "parts.p0: 'name' is unknown"},
		{"\"count\": 1,", "", "steps[0]: 'count' is missing"},
		{"\"name\": \"perc \\\"0\\\"\"", "\"name\": null", "name: is null: takes text"},
		{"\"perc", "\"\\u0000", "not JSON: line 2"},
		{"}\n", "", "not JSON"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = changed(cases[i].from, cases[i].to);
		struct sample back = {0}, zero = {0};
		struct error err = {0};
		if (record_json_parse(&sample_table, &back, text, &err) == 0 ||
		    strncmp(err.text, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("case %zu: '%s', not '%s'", i, err.text, cases[i].says);
		assert_memory_equal(&back, &zero, sizeof(back));
		free(text);
	}
}

/* {"name": "x"} of a table with more, and less, than the other build had. */
static void another_build_s_record_is_read_as_far_as_it_goes(void **state)
{
	static const struct record_row own_rows[] = {
		{.key = "size", .kind = RECORD_U64, .unit = UNIT_BYTES, .fallback = "4KiB"},
	};
	static const struct record_table own = {
		.name = "inner", .size = 8, .rows = own_rows, .count = 1};
	struct two {
		char *name;
		double ratio;
		uint64_t inner;
	} back = {0};
	const struct record_row rows[] = {
		{.key = "name", .kind = RECORD_TEXT, .required = true},
		{.key = "ratio", .kind = RECORD_F64, .offset = offsetof(struct two, ratio)},
		{.key = "inner",
		 .kind = RECORD_ONE,
		 .table = &own,
		 .offset = offsetof(struct two, inner)},
	};
	const struct record_table table = {
		.name = "two", .size = sizeof(back), .rows = rows, .count = 3};
	struct record_json_gaps gaps = {0};
	struct error err;

	(void)state;
	assert_int_equal(record_json_parse_other(&table, &back,
						 "{\"name\": \"x\", \"new\": 1, \"void\": null}",
						 &gaps, &err),
			 0);
	assert_string_equal(back.name, "x");
	assert_true(isnan(back.ratio));
	assert_int_equal(back.inner, 4096);
	assert_string_equal(gaps.unknown, "two.new");
	assert_string_equal(gaps.absent, "two.ratio, two.inner");
	record_json_gaps_release(&gaps);
	record_release(&table, &back);
	assert_int_equal(record_json_parse_other(&table, &back, "{\"new\": 1}", &gaps, &err), -1);
	assert_string_equal(err.text, "'name' is missing");
	assert_string_equal(gaps.unknown, "two.new");
	record_json_gaps_release(&gaps);
	assert_int_equal(record_json_parse(&table, &back, "{\"name\": \"x\"}", &err), -1);
	record_release(&table, &back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_build_s_record_is_read_as_far_as_it_goes),
		cmocka_unit_test(members_stand_in_the_order_of_their_rows),
		cmocka_unit_test(what_is_formatted_is_parsed),
		cmocka_unit_test(what_is_absent_is_null_and_comes_back),
		cmocka_unit_test(large_integers_are_clamped),
		cmocka_unit_test(any_text_makes_legal_json),
		cmocka_unit_test(reals_come_back_exactly),
		cmocka_unit_test(faults_are_told_with_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
