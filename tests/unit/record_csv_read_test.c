#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/record_csv.h"

struct row {
	char *host;
	double rate;
	uint64_t size;
	bool good;
	uint32_t line;
};
static const struct record_row rows[] = {
	{MEMBER(struct row, host), .required = true, .doc = "h"},
	{MEMBER(struct row, rate), .doc = "r"},
	{MEMBER(struct row, size), .unit = UNIT_BYTES, .doc = "s"},
	{MEMBER(struct row, good), .doc = "g"},
	{MEMBER(struct row, line), .computed = true, .doc = "l"},
};
static const struct record_table table = RECORD_TABLE(struct row, "row", rows, "a row");

static void columns_come_in_any_order_and_may_be_missing(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "rate,host\r\n1.5,a\r\n\r\n,\"b, \"\"c\"\"\"\n-2,e";
	struct yaml_errors errors = {.file = "t.csv"};
	struct row *list;
	uint32_t count;

	(void)state;
	assert_true(
		record_csv_read(&table, (void **)&list, &count, text, sizeof(text) - 1, &errors));
	assert_int_equal(count, 3);
	assert_true(list[0].rate == 1.5 && list[2].rate == -2);
	assert_true(isnan(list[1].rate));
	assert_string_equal(list[0].host, "a");
	assert_int_equal(list[0].line, 2);
	assert_string_equal(list[1].host, "b, \"c\"");
	assert_int_equal(list[2].line, 5);
	assert_int_equal(list[0].size, 0);
	record_csv_free(&table, (void **)&list, &count);
}

static void require_error(const char *text, size_t size, const char *error)
{
	struct yaml_errors errors = {.file = "t.csv"};
	void *list;
	uint32_t count;

	assert_false(record_csv_read(&table, &list, &count, text, size, &errors));
	if (!errors.count || !strstr(errors.lines[0], error))
		fail_msg("'%s', not '%s'", errors.count ? errors.lines[0] : "no error", error);
	assert_null(list);
	yaml_errors_release(&errors);
}

static void each_error_has_its_place(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "t.csv: is empty"},
		{"host,rat\n", "t.csv:1:6: 'rat' is no column here; nearest is 'rate'"},
		{"host,xyzzy\n",
		 "t.csv:1:6: 'xyzzy' is no column here; legal are host, rate, size, "
		 "good"},
		{"line,host\n1,a\n", "t.csv:1:1: 'line' is no column here"},
		{"host,host\n", "t.csv:1:6: the column stands there twice"},
		{"rate\n1\n", "t.csv:1:1: the column 'host' is missing"},
		{"host,rate\na,63,7\n", "t.csv:2:3: the line has more cells than the header"},
		{"host,rate\na\n", "t.csv:2:1: the line has fewer cells than the header"},
		{"host,rate\na,1.000.000\n", "t.csv:2:3: rate: '1.000.000' is not"},
		{"host,rate\na,nan\n", "t.csv:2:3: rate: 'nan' is not"},
		{"host,size\na,4kb\n", "t.csv:2:3: size: "},
		{"host,good\na,yes\n", "t.csv:2:3: good: 'yes' is neither"},
		{"host\n\"a\n", "t.csv:2:1: the quote is not closed"},
		{"host\na\"b\n", "t.csv:2:1: a quote inside a cell"},
		{"host\n\"a\"b\n", "t.csv:2:1: something follows the closing quote"},
		{"host,rate\n,1\n", "t.csv:2:1: host: is empty"},
		{"host\n\xff\n", "t.csv:2:1: the cell holds bytes that are no text"},
		{"host\n\"a\nb\"\n", "t.csv:2:1: host: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		require_error(cases[i].text, strlen(cases[i].text), cases[i].error);
}

/* Not as a column or a cell that ends before it. */
static void a_nul_is_no_text(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *error;
	} cases[] = {
		{"host\0,rate\na,1\n", 15, "t.csv:1:1: the cell holds bytes that are no text"},
		{"\"host\0x\"\na\n", 11, "t.csv:1:1: the cell holds bytes that are no text"},
		{"host,rate\na,1\0\n", 15, "t.csv:2:3: the cell holds bytes that are no text"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		require_error(cases[i].text, cases[i].size, cases[i].error);
}

static void what_a_table_writes_it_reads(void **state)
{
	const struct row row = {
		.host = (char *)"a, \"b\"", .rate = 0.1, .size = 1 << 20, .good = true, .line = 2};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct yaml_errors errors = {.file = "t.csv"};
	static const struct record_table written =
		RECORD_TABLE(struct row, "row", rows, "without the line");
	struct record_table four = written;
	struct row *list;
	uint32_t count;

	(void)state;
	four.count = 4;
	record_csv_header(&four, file);
	record_csv_line(&four, &row, file);
	fclose(file);
	assert_true(record_csv_read(&four, (void **)&list, &count, text, size, &errors));
	assert_int_equal(count, 1);
	assert_string_equal(list[0].host, row.host);
	assert_true(list[0].rate == row.rate && list[0].size == row.size && list[0].good);
	record_csv_free(&four, (void **)&list, &count);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_in_any_order_and_may_be_missing),
		cmocka_unit_test(each_error_has_its_place),
		cmocka_unit_test(a_nul_is_no_text),
		cmocka_unit_test(what_a_table_writes_it_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
