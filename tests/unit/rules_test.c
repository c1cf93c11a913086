#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/text.h"
#include "controller/analysis/rules.h"
#include "tests/unit/rules_scene.h"

#define RATE 800e6

/* "LEVEL CODE host, …" of all findings. */
static void describe(const struct result *result, char *text, size_t size)
{
	text[0] = '\0';
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%s%s %s%s%s", used ? ", " : "", finding->level,
			 finding->code, finding->host ? " " : "",
			 finding->host ? finding->host : "");
	}
}

static void expect(struct sample *sample, const char *wanted)
{
	char text[4096];

	rules_compute(&sample->result, &sample->series);
	describe(&sample->result, text, sizeof(text));
	if (strcmp(text, wanted) != 0)
		fail_msg("'%s', not '%s'", text, wanted);
	for (uint32_t f = 0; f < sample->result.findings_count; f++)
		assert_non_null(sample->result.findings[f].advice);
	sample_release(sample);
}

/* ---- timelines ---- */

static double flat(uint32_t host, uint32_t bucket)
{
	(void)host;
	(void)bucket;
	return 1;
}

static double stall_every_5_s(uint32_t host, uint32_t bucket)
{
	(void)host;
	return bucket % 50 < 30 ? 1 : 0.1;
}

static double stall_on_second(uint32_t host, uint32_t bucket)
{
	return host == 1 ? stall_every_5_s(host, bucket) : 1;
}

static double falls_at_20_s(uint32_t host, uint32_t bucket)
{
	(void)host;
	return bucket < 200 ? 1 : 0.5;
}

static double falls_on_second(uint32_t host, uint32_t bucket)
{
	return host == 1 ? falls_at_20_s(host, bucket) : 1;
}

static double climbs(uint32_t host, uint32_t bucket)
{
	(void)host;
	return 1 + bucket / 1200.0;
}

static struct sample make(uint32_t hosts, uint32_t seconds, scene_shape *shape)
{
	struct sample sample = {0};
	struct random random = {.state = seconds};

	sample_phase(&sample, "p", "write", S, hosts, 1);
	for (uint32_t h = 0; h < hosts; h++)
		scene_load(&sample, h, 0, seconds, RATE, 0.03, shape, &random);
	sample.result.min_window_ns = S;
	scene_finish(&sample, true);
	return sample;
}

static void timelines(void **state)
{
	static const struct {
		uint32_t hosts, seconds;
		scene_shape *shape;
		const char *wanted;
	} cases[] = {
		{1, 60, flat, ""},
		{4, 60, flat, ""},
		/* all of them: one finding */
		{2, 60, stall_every_5_s, "WARN PERIODIC_STALL, NOTE STEADINESS_UNKNOWN"},
		{2, 90, stall_every_5_s, "WARN PERIODIC_STALL"},
		{1, 90, stall_every_5_s, "WARN PERIODIC_STALL h1"},
		/* four periods are none; a window of 20 s is too short for the rest */
		{2, 20, stall_every_5_s, "NOTE DIPS"},
		{2, 60, falls_at_20_s, "WARN STEP_DOWN"}, /* the last 40 s were held */
		{2, 40, falls_at_20_s, "WARN STEP_DOWN, WARN NOT_STEADY"},
		{2, 60, climbs, "WARN NOT_STEADY"},
		{2, 24, climbs, ""},
		{2, 9, falls_at_20_s, ""},
		/* an eighth of the sum is under no limit; the host is named */
		{8, 60, falls_on_second, "WARN STEP_DOWN h2, WARN OUTLIER h2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample = make(cases[i].hosts, cases[i].seconds, cases[i].shape);
		expect(&sample, cases[i].wanted);
	}
}

static void a_stall_of_one_host_is_seen_and_named(void **state)
{
	struct sample sample = make(4, 90, stall_on_second);

	(void)state;
	rules_compute(&sample.result, &sample.series);
	const struct result_finding *finding = &sample.result.findings[0];
	assert_true(sample.result.findings_count > 0);
	assert_string_equal(finding->code, "PERIODIC_STALL");
	assert_non_null(
		strstr(finding->evidence, "1 of 4 hosts show it by themselves, first 'h2'"));
	assert_non_null(strstr(finding->evidence, "every 5.0"));
	sample_release(&sample);
}

static void what_many_hosts_show_is_told_once(void **state)
{
	struct sample sample = {0};
	struct random random = {.state = 5};

	(void)state;
	sample_phase(&sample, "p", "write", S, 40, 1);
	for (uint32_t h = 0; h < 40; h++) /* half of them fall, the others rise as much */
		scene_load(&sample, h, 0, 60, RATE * (h % 2 ? 1 : 0.5), 0.02,
			   h % 2 ? falls_at_20_s : climbs, &random);
	sample.result.min_window_ns = S;
	scene_finish(&sample, true);
	rules_compute(&sample.result, &sample.series);
	for (uint32_t f = 0; f < sample.result.findings_count; f++)
		for (uint32_t g = 0; g < f; g++)
			if (text_is(sample.result.findings[f].code, sample.result.findings[g].code))
				assert_false(text_is(sample.result.findings[f].host,
						     sample.result.findings[g].host));
	assert_true(sample.result.findings_count < 20);
	sample_release(&sample);
}

static void without_a_timeline_nothing_is_said_of_it(void **state)
{
	struct sample sample = make(2, 60, falls_at_20_s);

	(void)state;
	rules_compute(&sample.result, NULL);
	assert_int_equal(sample.result.findings_count, 0);
	sample_release(&sample);
}

static void a_window_under_min_window_is_silent(void **state)
{
	struct sample sample = make(4, 60, falls_on_second);

	(void)state;
	sample.result.min_window_ns = 61 * S;
	expect(&sample, "");
}

/* Two of three workers end early: the level falls as they leave, and no storage tires. */
static void workers_that_end_are_no_step(void **state)
{
	struct sample sample = make(1, 60, falls_at_20_s);
	struct result_phase_host *host = &sample.result.phases[0].hosts[0];

	(void)state;
	for (uint32_t w = 0; w < 3; w++) {
		struct result_worker *worker = RECORD_APPEND(host->workers, host->workers_count);
		*worker = (struct result_worker){
			.target = mem_text("t1"),
			.worker = w,
			.first_submit_ns = S,
			.last_completion_ns = (w == 2 ? 61 : 21) * S,
			.operations = 100,
		};
	}
	free(sample.result.phases[0].cluster->headline);
	sample.result.phases[0].cluster->headline = mem_text("span");
	expect(&sample, "WARN STRAGGLER_TAIL h1");
}

/* ---- hosts ---- */

static struct sample fleet(uint32_t hosts, const double *rates, uint32_t seconds)
{
	struct sample sample = {0};
	struct random random = {.state = 1};

	sample_phase(&sample, "p", "read", S, hosts, 1);
	for (uint32_t h = 0; h < hosts; h++) {
		struct result_host *host =
			RECORD_APPEND(sample.result.hosts, sample.result.hosts_count);
		host->host = mem_format("h%u", h + 1);
		host->os = mem_text("Linux");
		scene_load(&sample, h, 0, seconds, rates[h] * 1e6, 0.02, NULL, &random);
	}
	sample.result.min_window_ns = S;
	scene_finish(&sample, true);
	return sample;
}

static const double one_slow[] = {800, 810, 790, 805, 480};

static void the_odd_host_is_named(void **state)
{
	struct sample sample = fleet(5, one_slow, 12);

	(void)state;
	expect(&sample, "WARN OUTLIER h5");
}

static void of_two_halves_neither_is_the_odd_one(void **state)
{
	static const double halves[] = {800, 805, 400, 405, 400, 800};
	struct sample sample = fleet(6, halves, 12);

	(void)state;
	expect(&sample, "WARN OUTLIER");
}

static void a_short_look_names_nobody(void **state)
{
	struct sample sample = fleet(5, one_slow, 9);

	(void)state;
	expect(&sample, "");
}

/* Each of these makes the slow one and one more a class of their own. */
static void other_classes_are_not_compared(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		struct sample sample = fleet(5, one_slow, 12);
		struct result_host *host = &sample.result.hosts[4];
		struct plan_label *label;
		switch (way) {
		case 0:
			free(host->os);
			host->os = mem_text("FreeBSD");
			break;
		case 1:
			label = RECORD_APPEND(host->labels, host->labels_count);
			*label = (struct plan_label){mem_text("disks"), mem_text("old")};
			break;
		default:
			sample.result.phases[0].hosts[4].targets[0].file_system = mem_text("zfs");
		}
		expect(&sample, "");
	}
}

static void a_few_large_operations_are_no_rate(void **state)
{
	static const double slow[] = {1.5, 1.5, 1.5, 1.5, 0.9}; /* 11 to 18 operations in 12 s */
	struct sample sample = fleet(5, slow, 12);

	(void)state;
	expect(&sample, "");
}

static void a_straggler_of_fixed_amounts_is_named(void **state)
{
	static const uint32_t seconds[] = {60, 60, 60, 90};
	struct random random = {.state = 2};

	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct sample sample = {0};
		sample_phase(&sample, "p", "write", S, 4, 1);
		for (uint32_t h = 0; h < 4; h++)
			scene_load(&sample, h, 0, seconds[h], 48e9 / seconds[h], 0.02, NULL,
				   &random);
		sample.result.min_window_ns = S;
		scene_finish(&sample, timed);
		expect(&sample, timed ? "WARN OUTLIER h4" : "WARN STRAGGLER h4");
	}
}

/* ---- false alarms ---- */

/* Half a minute of 8 hosts whose rates have a CV of 2 %, their buckets one of 5 %. */
static struct sample synthetic(uint64_t seed, int slow)
{
	struct random random = {.state = seed};
	double rates[8];

	for (int h = 0; h < 8; h++)
		rates[h] = 800 * (1 + 0.02 * seeded_normal(&random)) * (h == slow ? 0.85 : 1);
	struct sample sample = {0};
	sample_phase(&sample, "p", "read", S, 8, 1);
	for (uint32_t h = 0; h < 8; h++)
		scene_load(&sample, h, 0, 30, rates[h] * 1e6, 0.05, NULL, &random);
	sample.result.min_window_ns = S;
	scene_finish(&sample, true);
	rules_compute(&sample.result, &sample.series);
	return sample;
}

static uint32_t warnings(const struct sample *sample)
{
	uint32_t count = 0;

	for (uint32_t f = 0; f < sample->result.findings_count; f++)
		count += text_is(sample->result.findings[f].level, "WARN");
	return count;
}

static void of_2000_healthy_fleets_one_in_a_hundred_has_a_warning(void **state)
{
	uint32_t alarms = 0;

	(void)state;
	for (uint64_t run = 0; run < 2000; run++) {
		struct sample sample = synthetic(run, -1);
		alarms += warnings(&sample) > 0;
		sample_release(&sample);
	}
	print_message("%u of 2000 healthy fleets have a warning\n", alarms);
	assert_true(alarms <= 20);
}

static void of_2000_fleets_with_a_slow_host_95_in_a_hundred_name_just_it(void **state)
{
	uint32_t named = 0;

	(void)state;
	for (uint64_t run = 0; run < 2000; run++) {
		int slow = (int)(run % 8);
		struct sample sample = synthetic(1000000 + run, slow);
		char name[16];
		snprintf(name, sizeof(name), "h%d", slow + 1);
		named += warnings(&sample) == 1 && text_is(sample.result.findings[0].host, name);
		sample_release(&sample);
	}
	print_message("%u of 2000 fleets name the slow host and it alone\n", named);
	assert_true(named >= 1900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timelines),
		cmocka_unit_test(a_stall_of_one_host_is_seen_and_named),
		cmocka_unit_test(what_many_hosts_show_is_told_once),
		cmocka_unit_test(without_a_timeline_nothing_is_said_of_it),
		cmocka_unit_test(a_window_under_min_window_is_silent),
		cmocka_unit_test(workers_that_end_are_no_step),
		cmocka_unit_test(the_odd_host_is_named),
		cmocka_unit_test(of_two_halves_neither_is_the_odd_one),
		cmocka_unit_test(a_short_look_names_nobody),
		cmocka_unit_test(other_classes_are_not_compared),
		cmocka_unit_test(a_few_large_operations_are_no_rate),
		cmocka_unit_test(a_straggler_of_fixed_amounts_is_named),
		cmocka_unit_test(of_2000_healthy_fleets_one_in_a_hundred_has_a_warning),
		cmocka_unit_test(of_2000_fleets_with_a_slow_host_95_in_a_hundred_name_just_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
