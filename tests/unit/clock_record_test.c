#include "controller/clock_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/random.h"

/* What a burst of five looks like, four times a second. */
static void fill(struct clock_sample *samples, uint32_t count)
{
	struct random r = {count};
	uint64_t t = 5000 * NS_PER_S;

	for (uint32_t i = 0; i < count; i++) {
		struct clock_sample *s = &samples[i];
		s->t1 = t;
		s->t2 = t + 3000 * NS_PER_S + 15000 + random_below(&r, 5000);
		s->t3 = s->t2 + 1000 + random_below(&r, 500);
		s->t4 = t + 32000 + random_below(&r, 9000);
		s->upper_error_ns = 170;
		s->lower_error_ns = 165;
		s->stamp = CLOCK_STAMP_KERNEL;
		t = i % 5 == 4 ? t + 250 * NS_PER_MS : s->t4 + 2000;
	}
}

static struct bytes packed(struct clock_record_host *hosts, uint32_t count)
{
	struct clock_record record = {hosts, count};
	struct bytes bytes = {0};

	clock_record_pack(&record, &bytes);
	return bytes;
}

static void assert_same(const struct clock_record *record, const struct clock_record_host *hosts,
			uint32_t count)
{
	assert_int_equal(record->count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(record->hosts[i].host, hosts[i].host);
		assert_int_equal(record->hosts[i].count, hosts[i].count);
		for (uint32_t k = 0; k < hosts[i].count; k++) {
			const struct clock_sample *got = &record->hosts[i].samples[k];
			const struct clock_sample *want = &hosts[i].samples[k];
			assert_int_equal(got->t1, want->t1);
			assert_int_equal(got->t2, want->t2);
			assert_int_equal(got->t3, want->t3);
			assert_int_equal(got->t4, want->t4);
			assert_int_equal(got->upper_error_ns, want->upper_error_ns);
			assert_int_equal(got->lower_error_ns, want->lower_error_ns);
			assert_int_equal(got->stamp, want->stamp);
		}
	}
}

static void assert_read_back(struct clock_record_host *hosts, uint32_t count)
{
	struct bytes bytes = packed(hosts, count);
	struct clock_record record = {0};
	struct error err = {0};

	assert_int_equal(clock_record_unpack(&record, bytes.data, bytes.size, &err), 0);
	assert_same(&record, hosts, count);
	clock_record_release(&record);
	free(bytes.data);
}

static void what_was_packed_is_read_back(void **state)
{
	static struct clock_sample many[2000],
		odd[] = {
			{.t1 = 0, .t4 = 0},
			{.t1 = 0, .t2 = UINT64_MAX, .t3 = 0, .t4 = UINT64_MAX},
			{.t1 = 7, .t2 = 5, .t3 = 3, .t4 = 8, .upper_error_ns = UINT32_MAX},
			{.t1 = UINT64_MAX,
			 .t2 = 1,
			 .t3 = UINT64_MAX,
			 .t4 = UINT64_MAX,
			 .lower_error_ns = UINT32_MAX,
			 .stamp = CLOCK_STAMP_USER},
		};
	struct clock_record_host hosts[] = {
		{"node1", many, 2000}, {"idle", many, 0}, {"größer", odd, 4}};

	(void)state;
	fill(many, 2000);
	assert_read_back(hosts, 3);
	assert_read_back(hosts, 0);
}

static void a_sample_takes_few_bytes(void **state)
{
	static struct clock_sample many[2000];
	struct clock_record_host host = {"node1", many, 2000};

	(void)state;
	fill(many, 2000);
	struct bytes bytes = packed(&host, 1);
	print_message("%.1f bytes a sample\n", (double)bytes.size / 2000);
	assert_true(bytes.size < 2000 * 20);
	free(bytes.data);
}

/* In a block of exactly that size, so that a sanitizer sees each byte read beyond it. Whatever is
 * taken must be valid: packed again it is the same file. */
static bool is_taken(const unsigned char *data, size_t size)
{
	struct clock_record record = {0};
	struct error err = {0};
	unsigned char *exact = mem_new(size, 1);

	memcpy(exact, data, size);
	int result = clock_record_unpack(&record, exact, size, &err);
	if (result == 0) {
		struct bytes again = packed(record.hosts, record.count);
		assert_int_equal(again.size, size);
		assert_memory_equal(again.data, exact, size);
		free(again.data);
		clock_record_release(&record);
	} else {
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_true(err.text[0]);
		assert_null(record.hosts);
		assert_int_equal(record.count, 0);
	}
	free(exact);
	return result == 0;
}

static void a_part_of_a_record_is_none(void **state)
{
	static struct clock_sample few[20];
	struct clock_record_host hosts[] = {{"node1", few, 20}, {"node2", few, 3}};

	(void)state;
	fill(few, 20);
	struct bytes bytes = packed(hosts, 2);
	assert_true(is_taken(bytes.data, bytes.size));
	for (size_t size = 0; size < bytes.size; size++)
		assert_false(is_taken(bytes.data, size));
	bytes_append(&bytes, "", 1);
	assert_false(is_taken(bytes.data, bytes.size));
	free(bytes.data);
}

static void a_flipped_bit_is_refused_or_another_valid_record(void **state)
{
	static struct clock_sample few[20];
	struct clock_record_host hosts[] = {{"node1", few, 20}, {"node2", few, 3}};
	uint32_t taken = 0;

	(void)state;
	fill(few, 20);
	struct bytes bytes = packed(hosts, 2);
	for (size_t bit = 0; bit < bytes.size * 8; bit++) {
		bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		taken += is_taken(bytes.data, bytes.size);
		bytes.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	print_message("%u of %zu flips are records\n", taken, bytes.size * 8);
	free(bytes.data);
}

static void what_cannot_be_is_refused_with_its_place(void **state)
{
#define START "MUSTERCK\1"
	static const struct {
		const char *bytes;
		size_t size;
		const char *want;
	} rows[] = {
		{"", 0, "byte 0: it does not begin with 'MUSTERCK'"},
		{"MUSTERCX\1", 9, "byte 0: it does not begin with 'MUSTERCK'"},
		{"MUSTERCK\2\0", 10, "byte 9: format 2, this program reads 1"},
		{START "\xff\xff\xff\xff\x0f", 14, "byte 14: more is announced than there is"},
		{START "\1\5node1\xff\xff\xff\xff\x0f", 21, "more is announced than there is"},
		{START "\1\0\0\0", 13, "no name of a host"},
		{START "\1\2a\0\0\0", 14, "no name of a host"},
		{START "\1\2a\xff\0\0", 14, "no name of a host"},
		{START "\1\1a\x80\0", 14, "byte 14: a number is longer than it must be"},
		{START "\1\1a\1\0\0\0\0\3\0", 19, "stamps of no kind"},
		{START "\1\1a\1\0\0\0\0\0\1", 19, "stamps of no kind, or with impossible errors"},
		{START "\1\1a\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\2\0\0\0\0\0", 28,
		 "more than 64 bits"},
		{START "\1\1a\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\0\0\0\0", 28,
		 "an instant that no clock can show"},
		{START "\0\0", 11, "byte 10: more follows than was announced"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clock_record record = {0};
		struct error err = {0};
		assert_int_equal(clock_record_unpack(&record, (const unsigned char *)rows[i].bytes,
						     rows[i].size, &err),
				 -1);
		print_message("%s\n", err.text);
		assert_non_null(strstr(err.text, rows[i].want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_is_read_back),
		cmocka_unit_test(a_sample_takes_few_bytes),
		cmocka_unit_test(a_part_of_a_record_is_none),
		cmocka_unit_test(a_flipped_bit_is_refused_or_another_valid_record),
		cmocka_unit_test(what_cannot_be_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
