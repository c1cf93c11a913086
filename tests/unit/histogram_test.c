#include "common/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct histogram a, b;

static int reset(void **state)
{
	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	return 0;
}

static void add_many(struct histogram *h, uint64_t ns, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		histogram_add(h, ns);
}

static void values_fall_into_the_worked_buckets(void **state)
{
	(void)state;
	static const struct {
		uint64_t ns;
		uint32_t index;
		uint64_t low, high;
	} rows[] = {
		{0, 0, 0, 0},
		{127, 127, 127, 127},
		{128, 128, 128, 128},
		{255, 255, 255, 255},
		{256, 256, 256, 257},
		{1000, 506, 1000, 1003},
		{1000000, 1780, 999424, 1003519},
		{123456789, 2667, 123207680, 123731967},
		{(UINT64_C(1) << 42) - 1, 4607, UINT64_C(4380866641920), UINT64_C(4398046511103)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(histogram_index(rows[i].ns), rows[i].index);
		assert_int_equal(histogram_low(rows[i].index), rows[i].low);
		assert_int_equal(histogram_high(rows[i].index), rows[i].high);
	}
}

static void buckets_join_without_gap_and_are_narrow(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_low(i), high = histogram_high(i);
		assert_int_equal(histogram_index(low), i);
		assert_int_equal(histogram_index(high), i);
		assert_true((double)(high - low) <= 0.0079 * (double)low);
		if (i > 0)
			assert_int_equal(low, histogram_high(i - 1) + 1);
	}
}

static void what_is_too_long_counts_in_the_last_bucket(void **state)
{
	(void)state;
	assert_int_equal(histogram_index(UINT64_C(1) << 42), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	histogram_add(&a, UINT64_C(1) << 50);
	assert_int_equal(histogram_percentile(&a, 50), UINT64_C(1) << 50);
}

static void no_samples_have_percentile_zero(void **state)
{
	(void)state;
	assert_int_equal(histogram_percentile(&a, 50), 0);
	assert_int_equal(histogram_percentile(&a, 100), 0);
	assert_false(histogram_has_percentile(&a, 50));
}

static void percentile_of_one_sample_is_that_sample(void **state)
{
	(void)state;
	static const double percents[] = {1e-9, 1, 50, 99, 99.9, 100};

	histogram_add(&a, 1000001);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		assert_int_equal(histogram_percentile(&a, percents[i]), 1000001);
}

/* The mean of both p99 would be 50.5 ms. */
static void percentiles_come_from_the_merged_histogram(void **state)
{
	(void)state;
	add_many(&a, 1000000, 1000);
	add_many(&b, 100000000, 10);
	histogram_merge(&a, &b);
	assert_int_equal(a.total, 1010);
	assert_int_equal(a.max, 100000000);
	assert_int_equal(histogram_percentile(&a, 99), 1003519); /* the bucket of 1 ms */
	assert_int_equal(histogram_percentile(&a, 99.9), 100000000);
	assert_int_equal(b.total, 10);
}

static void merge_keeps_the_larger_maximum(void **state)
{
	(void)state;
	histogram_add(&a, 7000);
	histogram_add(&b, 10);
	histogram_merge(&a, &b);
	assert_int_equal(a.max, 7000);
	assert_int_equal(a.counts[10], 1);
}

/* 99.9 as a double is more than 99.9: its rank of 1000 samples must still be 999. */
static void ranks_are_exact(void **state)
{
	(void)state;
	static const struct {
		uint64_t total;
		double percent;
		uint64_t rank;
	} rows[] = {{1000, 99.9, 999}, {1000, 99, 990}, {10000, 99.9, 9990}, {1010, 99, 1000},
		    {3, 50, 2},        {3, 100, 3},     {100, 0.5, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&a, 0, sizeof(a));
		add_many(&a, 10, rows[i].rank - 1);
		add_many(&a, 20, 1);
		add_many(&a, 30, rows[i].total - rows[i].rank);
		assert_int_equal(histogram_percentile(&a, rows[i].percent), 20);
	}
}

static void percentiles_need_ten_samples_beyond(void **state)
{
	(void)state;
	static const struct {
		uint64_t total;
		double percent;
		int want;
	} rows[] = {{20, 50, 1},      {19, 50, 0},      {1000, 99, 1},
		    {999, 99, 0},     {10000, 99.9, 1}, {9999, 99.9, 0},
		    {100000, 100, 0}, {0, 50, 0},       {UINT64_C(1) << 40, 99.99, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a.total = rows[i].total;
		assert_int_equal(histogram_has_percentile(&a, rows[i].percent), rows[i].want);
	}
}

static void percentiles_are_within_a_hundredth_of_the_truth(void **state)
{
	(void)state;
	const uint64_t step = 977, count = 20000;

	for (uint64_t i = 1; i <= count; i++)
		histogram_add(&a, i * step);
	for (double percent = 1; percent <= 100; percent++) {
		double truth = percent / 100 * (double)(count * step);
		double found = (double)histogram_percentile(&a, percent);
		assert_true(found >= truth - 1 && found <= truth * 1.008);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(values_fall_into_the_worked_buckets, reset),
		cmocka_unit_test_setup(buckets_join_without_gap_and_are_narrow, reset),
		cmocka_unit_test_setup(what_is_too_long_counts_in_the_last_bucket, reset),
		cmocka_unit_test_setup(no_samples_have_percentile_zero, reset),
		cmocka_unit_test_setup(percentile_of_one_sample_is_that_sample, reset),
		cmocka_unit_test_setup(percentiles_come_from_the_merged_histogram, reset),
		cmocka_unit_test_setup(merge_keeps_the_larger_maximum, reset),
		cmocka_unit_test_setup(ranks_are_exact, reset),
		cmocka_unit_test_setup(percentiles_need_ten_samples_beyond, reset),
		cmocka_unit_test_setup(percentiles_are_within_a_hundredth_of_the_truth, reset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
