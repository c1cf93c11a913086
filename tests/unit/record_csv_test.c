#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record_csv.h"
#include "tests/unit/record_sample.h"

struct flat {
	uint32_t phase;
	char *name;
	bool ramp;
	uint64_t bytes;
	int64_t offset;
	double rate;
	enum sample_mode mode;
};
static const struct record_row flat_rows[] = {
	{MEMBER(struct flat, phase)},
	{MEMBER(struct flat, name)},
	{MEMBER(struct flat, ramp)},
	{MEMBER(struct flat, bytes)},
	{MEMBER(struct flat, offset)},
	{MEMBER(struct flat, rate)},
	{MEMBER(struct flat, mode), .names = mode_names},
};
static const struct record_table flat_table = RECORD_TABLE(struct flat, "flat", flat_rows, "");

/* What is printed between two calls; the caller's to free. */
static char *print(const struct flat *flat)
{
	FILE *file = tmpfile();
	char *text = mem_new(512, 1);

	assert_non_null(file);
	if (flat)
		record_csv_line(&flat_table, flat, file);
	else
		record_csv_header(&flat_table, file);
	rewind(file);
	size_t size = fread(text, 1, 511, file);
	assert_true(size < 511);
	fclose(file);
	return text;
}

static void the_header_has_the_keys(void **state)
{
	char *text = print(NULL);

	(void)state;
	assert_string_equal(text, "phase,name,ramp,bytes,offset,rate,mode\n");
	free(text);
}

static void lines_have_raw_numbers_and_quote_only_where_needed(void **state)
{
	static const struct {
		struct flat flat;
		const char *want;
	} cases[] = {
		{{1, (char *)"read", true, UINT64_MAX, INT64_MIN, 0.1, SAMPLE_MODE_PREFER},
		 "1,read,true,18446744073709551615,-9223372036854775808,0.1,prefer\n"},
		{{UINT32_MAX, NULL, false, 0, 0, NAN, SAMPLE_MODE_TRUE},
		 "4294967295,,false,0,0,,true\n"},
		{{0, (char *)"a,b", false, 0, 0, 800, SAMPLE_MODE_TRUE},
		 "0,\"a,b\",false,0,0,800.0,true\n"},
		{{0, (char *)"a\"b", false, 0, 0, 0, SAMPLE_MODE_TRUE},
		 "0,\"a\"\"b\",false,0,0,0.0,true\n"},
		{{0, (char *)"a\nb\r", false, 0, 0, -INFINITY, SAMPLE_MODE_TRUE},
		 "0,\"a\nb\r\",false,0,0,,true\n"},
		{{0, (char *)"", false, 0, 0, 1e-9, SAMPLE_MODE_TRUE}, "0,,false,0,0,1e-09,true\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = print(&cases[i].flat);
		if (strcmp(text, cases[i].want) != 0)
			fail_msg("case %zu: '%s', not '%s'", i, text, cases[i].want);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_has_the_keys),
		cmocka_unit_test(lines_have_raw_numbers_and_quote_only_where_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
