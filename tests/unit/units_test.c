#include "common/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef int parser(const char *text, uint64_t *value, struct error *err);

struct good {
	const char *text;
	uint64_t want;
};

static void accepts(parser *parse, const struct good *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct error err = {0};
		uint64_t value = 0;
		if (parse(rows[i].text, &value, &err) < 0)
			fail_msg("'%s' is refused: %s", rows[i].text, err.text);
		if (value != rows[i].want)
			fail_msg("'%s' is %llu, not %llu", rows[i].text, (unsigned long long)value,
				 (unsigned long long)rows[i].want);
	}
}

/* Each row: a text and a part of what must be said of it. */
static void refuses(parser *parse, const char *const (*rows)[2], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct error err = {0};
		uint64_t value;
		if (parse(rows[i][0], &value, &err) == 0)
			fail_msg("'%s' is %llu and not refused", rows[i][0],
				 (unsigned long long)value);
		assert_int_equal(err.kind, ERROR_USAGE);
		if (!strstr(err.text, rows[i][1]))
			fail_msg("'%s': \"%s\" does not say \"%s\"", rows[i][0], err.text,
				 rows[i][1]);
	}
}

#define ACCEPTS(parse, rows) accepts(parse, rows, sizeof(rows) / sizeof((rows)[0]))
#define REFUSES(parse, rows) refuses(parse, rows, sizeof(rows) / sizeof((rows)[0]))

static void bytes_are_read_with_each_unit(void **state)
{
	(void)state;
	static const struct good rows[] = {
		{"0", 0},
		{"1", 1},
		{"4096", 4096},
		{"512B", 512},
		{"4KiB", 4096},
		{"64k", 65536},
		{"64K", 65536},
		{"1MiB", 1048576},
		{"1M", 1048576},
		{"2GiB", UINT64_C(2147483648)},
		{"2G", UINT64_C(2147483648)},
		{"1TiB", UINT64_C(1099511627776)},
		{"1T", UINT64_C(1099511627776)},
		{"1PiB", UINT64_C(1125899906842624)},
		{"1P", UINT64_C(1125899906842624)},
		{"1EiB", UINT64_C(1152921504606846976)}, /* FreeBSD's gzero */
		{"1kB", 1000},
		{"1MB", 1000000},
		{"1GB", UINT64_C(1000000000)},
		{"1TB", UINT64_C(1000000000000)},
		{"1.5PB", UINT64_C(1500000000000000)},
		{"18EB", UINT64_C(18000000000000000000)},
		{"1 MiB", 1048576},
		{"1\tMiB", 1048576},
		{"0.5GiB", 536870912},
		{"1.50 kB", 1500},
		{"0.0009765625KiB", 1},
		{"1.0", 1},
		{"1.00000000000000000000000000000000", 1},
		{"0.000", 0},
		{"18446744073709551615", UINT64_MAX},
		{"16777215TiB", UINT64_C(0xffffff0000000000)},
	};
	ACCEPTS(units_parse_bytes, rows);
}

static void bytes_that_are_not_are_refused(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"", "is empty"},
		{" 1", "begin with a digit"},
		{"1 ", "no unit"},
		{"-1", "sign"},
		{"+1", "sign"},
		{"010", "begin with 0"},
		{"00", "begin with 0"},
		{"00.5KiB", "begin with 0"},
		{"0x10", "unit is not known"},
		{"1MiBx", "unit is not known"},
		{"1MiB 2", "unit is not known"},
		{"1M iB", "unit is not known"},
		{"4096\n", "unit is not known"},
		{"1,000", "unit is not known"},
		{"1e6", "unit is not known"},
		{"1m", "unit is not known"},
		{"1mb", "unit is not known"},
		{"1KB", "KiB is 1024 and kB is 1000"},
		{"1MiB/s", "unit is not known"},
		{"MiB", "begin with a digit"},
		{".5KiB", "begin with a digit"},
		{"1.KiB", "no digit after the point"},
		{"1.5", "whole number"},
		{"0.3KiB", "whole number"},
		{"1.2.3KiB", "unit is not known"},
		{"18446744073709551616", "too large"},
		{"99999999999999999999999", "too large"},
		{"16777216TiB", "too large"},
		{"16EiB", "too large"},
		{"1E", "unit is not known"}, /* half of 1E6 */
		{"0.1234567890123456789012TiB", "too many digits"},
		{"\xc2\xbd", "begin with a digit"},
	};
	REFUSES(units_parse_bytes, rows);
}

static void the_whole_refusal_names_the_way_out(void **state)
{
	(void)state;
	struct error err;
	uint64_t value;

	assert_int_equal(units_parse_ns("60", &value, &err), -1);
	assert_string_equal(err.text, "'60' is not a time: it has no unit; write 50ns, 10us, 50ms, "
				      "60s, 5m or 2h");
}

static void times_are_read(void **state)
{
	(void)state;
	static const struct good good[] = {
		{"0", 0},
		{"0s", 0},
		{"50ns", 50},
		{"10us", 10000},
		{"50ms", 50000000},
		{"60s", UINT64_C(60000000000)},
		{"5m", UINT64_C(300000000000)},
		{"2h", UINT64_C(7200000000000)},
		{"1.5s", 1500000000},
		{"0.000000001s", 1},
		{"5124095h", UINT64_C(18446742000000000000)},
	};
	static const char *const bad[][2] = {
		{"60", "no unit"},
		{"1", "no unit"},
		{"0.0", "no unit"},
		{"5min", "unit is not known"},
		{"1S", "unit is not known"},
		{"1.5ns", "whole number"},
		{"-5s", "sign"},
		{"5124096h", "too large"},
		{"00s", "begin with 0"},
		{"5s5s", "unit is not known"},
		{"0 ", "no unit"},
	};
	ACCEPTS(units_parse_ns, good);
	REFUSES(units_parse_ns, bad);
}

static void counts_and_percentages_are_read(void **state)
{
	(void)state;
	static const struct good counts[] = {{"0", 0}, {"16", 16}, {"2.0", 2}};
	static const char *const no_counts[][2] = {
		{"16k", "unit is not known"}, {"1.5", "whole number"}, {"16 ", "no unit"}};
	static const struct good percents[] = {
		{"0%", 0}, {"10%", 10}, {"100 %", 100}, {"250%", 250}};
	static const char *const no_percents[][2] = {
		{"10", "no unit"}, {"1.5%", "whole number"}, {"10%%", "unit is not known"}};

	ACCEPTS(units_parse_count, counts);
	REFUSES(units_parse_count, no_counts);
	ACCEPTS(units_parse_percent, percents);
	REFUSES(units_parse_percent, no_percents);
}

static void rates_are_read(void **state)
{
	(void)state;
	static const struct good good[] = {
		{"800 MB/s", 800000000}, {"200MiB/s", 209715200}, {"4096/s", 4096}};
	static const char *const bad[][2] = {{"800 MB", "end with '/s'"}, {"/s", "digit"},
					     {"", "end with '/s'"},       {"s", "end with '/s'"},
					     {"1 /s", "no unit"},         {"1MB/s/s", "not known"}};

	ACCEPTS(units_parse_rate, good);
	REFUSES(units_parse_rate, bad);
}

static void a_load_rate_is_of_bytes_or_of_operations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes, operations;
	} good[] = {
		{"100MiB/s", 104857600, 0}, {"100 MiB/s", 104857600, 0}, {"800 MB/s", 800000000, 0},
		{"500/s", 0, 500},          {"500 /s", 0, 500},          {"500 iops", 0, 500},
		{"500iops", 0, 500},        {"4096B/s", 4096, 0},        {"1.5MiB/s", 1572864, 0},
	};
	static const char *const bad[] = {"",         "500",
					  "500 MiB",  "0/s",
					  "0B/s",     "-1/s",
					  "/s",       "iops",
					  "1.5/s",    "010/s",
					  "5 rows/s", "5/s/s",
					  "5iops/s",  "99999999999999999999/s"};
	uint64_t bytes, operations;
	struct error err;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (units_parse_load_rate(good[i].text, &bytes, &operations, &err))
			fail_msg("%s", err.text);
		assert_int_equal(bytes, good[i].bytes);
		assert_int_equal(operations, good[i].operations);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!units_parse_load_rate(bad[i], &bytes, &operations, &err))
			fail_msg("'%s' was taken", bad[i]);
}

static void a_size_is_bytes_or_a_multiple_of_ram(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes, thousandths;
	} good[] = {
		{"2x ram", 0, 2000}, {"0.5x ram", 0, 500},    {"1.125 x ram", 0, 1125},
		{"2xram", 0, 2000},  {"1GiB", 1073741824, 0}, {"1", 1, 0},
	};
	static const char *const bad[] = {"0",        "0x ram",
					  "0.0x ram", "0.0001x ram",
					  "2 ram",    "ram",
					  "x ram",    "-1x ram",
					  "2x",       "2x RAM",
					  "2x ram ",  "2xx ram",
					  "010x ram", "20000000000000000x ram"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct error err = {0};
		uint64_t bytes, thousandths;
		if (units_parse_size(good[i].text, &bytes, &thousandths, &err) < 0)
			fail_msg("'%s' is refused: %s", good[i].text, err.text);
		assert_int_equal(bytes, good[i].bytes);
		assert_int_equal(thousandths, good[i].thousandths);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err;
		uint64_t bytes, thousandths;
		if (units_parse_size(bad[i], &bytes, &thousandths, &err) == 0)
			fail_msg("'%s' is not refused", bad[i]);
	}
}

static void text_for_people_has_three_digits_or_four(void **state)
{
	(void)state;
	char text[UNITS_TEXT_SIZE];
	static const struct {
		uint64_t bytes;
		const char *want;
	} bytes[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1023 B"},
		{1024, "1.00 KiB"},
		{1610612736, "1.50 GiB"},
		{1048575, "1.00 MiB"}, /* not 1024 KiB */
		{10475274, "9.99 MiB"},
		{10484711, "10.0 MiB"}, /* not 10.00 */
		{851443712, "812 MiB"},
		{UINT64_C(1) << 60, "1.00 EiB"},
		{UINT64_MAX, "16.0 EiB"},
	};
	static const struct {
		double ns;
		const char *want;
	} times[] = {
		{0, "0 ns"},           {850, "850 ns"},        {1234, "1.234 us"},
		{1234000, "1.234 ms"}, {12345678, "12.35 ms"}, {999960, "1.000 ms"},
		{60e9, "60.00 s"},     {3723e9, "3723 s"},     {-1500, "-1.500 us"},
		{NAN, "unknown"},      {INFINITY, "unknown"},
	};

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		assert_string_equal(units_format_bytes(text, bytes[i].bytes), bytes[i].want);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(units_format_ns(text, times[i].ns), times[i].want);
	assert_string_equal(units_format_rate(text, 851443712), "812 MiB/s");
	assert_string_equal(units_format_rate(text, 0.25), "0.25 B/s");
	assert_string_equal(units_format_rate(text, NAN), "unknown");
	assert_int_equal(strlen(units_format_rate(text, 1e300)), UNITS_TEXT_SIZE - 1);
}

static void exact_text_parses_back(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		const char *want;
	} rows[] = {
		{0, "0"},
		{1, "1"},
		{1500, "1500"},
		{1048576, "1MiB"},
		{65536, "64KiB"},
		{UINT64_C(3) << 40, "3TiB"},
		{UINT64_C(5) << 50, "5PiB"},
		{UINT64_C(1) << 60, "1EiB"},
		{UINT64_MAX, "18446744073709551615"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[UNITS_TEXT_SIZE];
		struct error err;
		uint64_t back;
		assert_string_equal(units_format_exact(text, rows[i].bytes), rows[i].want);
		assert_int_equal(units_parse_bytes(text, &back, &err), 0);
		assert_int_equal(back, rows[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_read_with_each_unit),
		cmocka_unit_test(bytes_that_are_not_are_refused),
		cmocka_unit_test(the_whole_refusal_names_the_way_out),
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(counts_and_percentages_are_read),
		cmocka_unit_test(rates_are_read),
		cmocka_unit_test(a_load_rate_is_of_bytes_or_of_operations),
		cmocka_unit_test(a_size_is_bytes_or_a_multiple_of_ram),
		cmocka_unit_test(text_for_people_has_three_digits_or_four),
		cmocka_unit_test(exact_text_parses_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
