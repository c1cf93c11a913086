#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <stdlib.h>

#include "controller/analysis/stats.h"
#include "controller/analysis/timeline.h"
#include "tests/unit/seeded.h"

#define S    UINT64_C(1000000000)
#define MOST 40000

/* Timelines that people posted, with right answers, where they lie beside the sources. */
#define CASES TEST_DATA "/../../shared/cases/data/"

static double samples[MOST];

/* The second column of a CSV file, less its first line; 0: there is no such file. */
static uint32_t read_case(const char *name)
{
	char path[1024], line[256];
	uint32_t count = 0;

	snprintf(path, sizeof(path), CASES "%s", name);
	FILE *file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		fail_msg("'%s' is empty", path);
	while (count < MOST && fgets(line, sizeof(line), file)) {
		char *comma = strchr(line, ',');
		if (comma)
			samples[count++] = strtod(comma + 1, NULL);
	}
	fclose(file);
	return count;
}

static struct timeline_verdict judge(uint32_t count, uint64_t bucket_ns)
{
	return timeline_judge(
		&(struct timeline){.samples = samples, .count = count, .bucket_ns = bucket_ns});
}

static void assert_near(double is, double want, double within)
{
	if (!(fabs(is - want) <= within))
		fail_msg("%.9g is not %.9g +- %g", is, want, within);
}

static void need(uint32_t count)
{
	if (count)
		return;
	print_message("skipped: no cases in " CASES "\n");
	skip();
}

/* Five seconds of writing, four of nothing. */
static void case_19_a_stall_every_ten_seconds(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-19-txg-stall/five-cycles.csv");
	need(count);
	struct timeline_verdict verdict = judge(count, S);
	assert_true(verdict.has_period);
	assert_near(verdict.period_ns / 1e9, 10, 1);
	assert_near(verdict.periodic.split.duty, 0.6, 0.01);
	assert_near(verdict.periodic.split.high / verdict.periodic.mean, 1.67, 0.01);
	assert_true(verdict.periodic.is_square);
	assert_false(verdict.periodic.is_dip);
	assert_int_equal(verdict.steps_count, 0);
	assert_int_equal(verdict.steadiness, TIMELINE_STEADINESS_ALIASED);
}

/* One cycle is no period; the first line is an average since boot. */
static void case_19_as_posted_has_no_period(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-19-txg-stall/posted.csv");
	need(count);
	assert_near(stats_mean(samples + 1, count - 1), 149.18, 0.01);
	assert_false(judge(count, S).has_period);
}

static void case_20_the_last_quarter_collapses(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-20-tail-collapse/timeline.csv");
	need(count);
	struct timeline_verdict verdict = judge(count, S);
	assert_false(verdict.has_period);
	assert_int_equal(verdict.steps_count, 1);
	assert_near(verdict.steps[0].at, 45, 1);
	assert_near(verdict.steps[0].before, 610000, 0.03 * 610000);
	assert_near(verdict.steps[0].after, 50000, 0.03 * 50000);
	assert_int_equal(verdict.steadiness, TIMELINE_STEADINESS_NO);
	assert_near(verdict.steady.mean, 470000, 0.03 * 470000);
}

static void case_22_two_cliffs_and_the_last_level_is_steady(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-22-pslc-two-cliffs/timeline.csv");
	need(count);
	struct timeline_verdict verdict = judge(count, S);
	assert_false(verdict.has_period);
	assert_int_equal(verdict.steps_count, 2);
	assert_near(verdict.steps[0].at, 62, 2);
	assert_near(verdict.steps[1].at, 172, 2);
	assert_near(verdict.steps[0].before, 4500, 45);
	assert_near(verdict.steps[1].before, 2000, 20);
	assert_near(verdict.steps[1].after, 500, 5);
	assert_int_equal(verdict.steadiness, TIMELINE_STEADINESS_YES);
	assert_near(verdict.steady.mean, 500, 5);
	assert_near(stats_mean(samples, count), 853, 9);
}

static void case_23_dips_every_two_minutes(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-23-smart-poll-dips/timeline.csv");
	need(count);
	struct timeline_verdict verdict = judge(count, S);
	assert_true(verdict.has_period);
	assert_near(verdict.period_ns / 1e9, 120, 2);
	assert_true(verdict.periodic.is_dip);
	assert_near(1 - verdict.periodic.split.duty, 0.017, 0.001);
	assert_near(1 - verdict.periodic.split.depth, 0.14, 0.01); /* of the level is left */
	assert_int_equal(verdict.steps_count, 0);
	assert_near(stats_median(samples, count), 640, 5);
	assert_int_equal(verdict.steadiness, TIMELINE_STEADINESS_ALIASED);
}

/* Workers leave; until the first does there is nothing to see. */
static void case_44_is_steady_while_all_are_at_work(void **state)
{
	(void)state;
	uint32_t count = read_case("MC-44-fixed-work-tail/timeline.csv");
	need(count);
	assert_false(judge(count, 10 * S).has_period);
	struct timeline_verdict verdict = judge(24, 10 * S); /* 0 to 240 s */
	assert_int_equal(verdict.steps_count, 0);
	assert_int_not_equal(verdict.steadiness, TIMELINE_STEADINESS_NO);
}

/* ---- of our own ---- */

static void wave(uint32_t count, double period, double duty, double low, double noise)
{
	struct random random = {.state = 11};

	for (uint32_t i = 0; i < count; i++)
		samples[i] = (fmod(i, period) < duty * period ? 100 : low) *
			     (1 + noise * seeded_normal(&random));
}

static void a_healthy_hour_is_silent(void **state)
{
	(void)state;
	wave(36000, 100, 1, 0, 0.02);
	struct timeline_verdict verdict = judge(36000, S / 10);
	assert_false(verdict.has_period);
	assert_int_equal(verdict.steps_count, 0);
	assert_int_equal(verdict.steadiness, TIMELINE_STEADINESS_YES);
}

/* In an hour, the shortest is seen in its beginning only, the longest only in coarse samples. */
static void stalls_are_found_in_an_hour_and_in_half_a_minute(void **state)
{
	static const struct {
		uint32_t count;
		double period, duty;
	} cases[] = {{36000, 8, 0.6}, {36000, 50, 0.6}, {36000, 3000, 0.5}, {300, 50, 0.6}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wave(cases[i].count, cases[i].period, cases[i].duty, 10, 0.02);
		struct timeline_verdict verdict = judge(cases[i].count, S / 10);
		if (!verdict.has_period)
			fail_msg("row %zu: no period", i);
		assert_near(verdict.period_ns / 1e8, cases[i].period, 0.1 * cases[i].period);
		assert_near(verdict.periodic.split.duty, cases[i].duty, 0.1 * cases[i].duty);
	}
}

static void too_short_a_timeline_says_nothing(void **state)
{
	(void)state;
	wave(99, 10, 0.5, 0, 0.01);
	assert_false(judge(99, S / 10).has_period);
	assert_true(judge(99, S).has_period);
	wave(240, 120, 0.5, 10, 0.01); /* chunks of 4.8 s */
	assert_int_equal(judge(240, S / 10).steadiness, TIMELINE_STEADINESS_UNKNOWN);
	assert_int_equal(judge(0, S).steadiness, TIMELINE_STEADINESS_UNKNOWN);
	assert_int_equal(judge(100, 0).steadiness, TIMELINE_STEADINESS_UNKNOWN);
}

static void a_shallow_rhythm_has_no_consequence(void **state)
{
	(void)state;
	wave(600, 50, 0.5, 96, 0.001);
	assert_false(judge(600, S / 10).has_period);
	wave(600, 50, 0.5, 94, 0.001);
	assert_true(judge(600, S / 10).has_period);
}

/* Blocks of which 3.14 fit into a bucket come as 3, 3, 3, 3, 3, 3, 4: an artefact of counting. */
static void whole_operations_are_no_rhythm(void **state)
{
	uint64_t before = 0;

	(void)state;
	for (uint32_t i = 0; i < 600; i++) {
		uint64_t done = (i + 1) * 22 / 7;
		samples[i] = (double)(done - before) * 1048576;
		before = done;
	}
	struct timeline timeline = {.samples = samples,
				    .count = 600,
				    .bucket_ns = S / 10,
				    .operations = 22.0 / 7,
				    .in_flight = 1};
	assert_false(timeline_judge(&timeline).has_period);
	timeline.operations = 0; /* not knowing what an operation is, it is one */
	assert_true(timeline_judge(&timeline).has_period);
}

/* With many in flight that all complete together. */
static void bursts_of_what_is_in_flight_are_no_rhythm(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 600; i++)
		samples[i] = i % 11 == 10 ? 0 : 16 * 1048576.0;
	struct timeline timeline = {.samples = samples,
				    .count = 600,
				    .bucket_ns = S / 10,
				    .operations = 16 * 10 / 11.0,
				    .in_flight = 16};
	assert_false(timeline_judge(&timeline).has_period);
}

static void a_held_last_level_is_the_steady_state(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 900; i++)
		samples[i] = i < 300 ? 200 : 100;
	assert_int_equal(judge(900, S / 10).steadiness, TIMELINE_STEADINESS_YES);
	assert_int_equal(judge(900, S / 10).steps_count, 1);
	assert_int_equal(judge(900, S / 10).steps[0].at, 300);
	assert_int_equal(judge(500, S / 10).steadiness, TIMELINE_STEADINESS_NO); /* held 20 s */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_19_a_stall_every_ten_seconds),
		cmocka_unit_test(case_19_as_posted_has_no_period),
		cmocka_unit_test(case_20_the_last_quarter_collapses),
		cmocka_unit_test(case_22_two_cliffs_and_the_last_level_is_steady),
		cmocka_unit_test(case_23_dips_every_two_minutes),
		cmocka_unit_test(case_44_is_steady_while_all_are_at_work),
		cmocka_unit_test(a_healthy_hour_is_silent),
		cmocka_unit_test(stalls_are_found_in_an_hour_and_in_half_a_minute),
		cmocka_unit_test(too_short_a_timeline_says_nothing),
		cmocka_unit_test(a_shallow_rhythm_has_no_consequence),
		cmocka_unit_test(whole_operations_are_no_rhythm),
		cmocka_unit_test(bursts_of_what_is_in_flight_are_no_rhythm),
		cmocka_unit_test(a_held_last_level_is_the_steady_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
