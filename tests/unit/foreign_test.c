#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "controller/foreign.h"
#include "controller/judge.h"
#include "controller/report/report.h"

#define PHASE "phases: [{name: p, op: read, targets: [t], runtime: 60s}]\n"

static void what_is_wrong_is_said_where_it_stands(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"judge: 2\n" PHASE, "f:1:8: judge: '2' is out of range"},
		{"judge: 1\n", "neither phases nor sweeps"},
		{"judge: 1\nphase: []\n" PHASE, "f:2:1: phase: unknown key; nearest is 'phases'"},
		{"judge: 1\n" PHASE "measured: [{phase: q}]\n",
		 "f:3:20: measured[0].phase: there is "
		 "no phase 'q'"},
		{"judge: 1\n" PHASE "measured: [{phase: p}]\n", "nothing was measured"},
		{"judge: 1\n" PHASE "measured: [{phase: p, timeline: t.csv}]\n",
		 "f:3:33: 't.csv': no files can be named here"},
		{"judge: 1\n" PHASE "measured: [{phase: p, moved: [{bytes: 5.0}]}]\n",
		 "an amount without a time"},
		{"judge: 1\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: -5.0, seconds: 1.0}]}]\n",
		 "an amount is below 0"},
		{"judge: 1\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 1.0, errors: 0.5}]}]\n",
		 "errors is no whole number"},
		{"judge: 1\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 1.0, errors: -1.0}]}]\n",
		 "errors is no whole number"},
		{"judge: 1\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, start_s: 9.0, end_s: 9.0}]}]\n",
		 "it ends before it has begun"},
		{"judge: 1\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 9.0, target: u}]}]\n",
		 "phase 'p' has no target 'u'"},
		{"judge: 1\nhosts: {a: {}, b: {}}\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 9.0, host: c}]}]\n",
		 "host 'c' is not among `hosts`"},
		{"judge: 1\nhosts: {a: {}, b: {}}\n" PHASE
		 "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 9.0}]}]\n",
		 "no host, and there are several"},
		{"judge: 1\n" PHASE "gates: [{phase: p, metric: throughput, of: host}]\n",
		 "no limit"},
		{"judge: 1\nsweeps: {s: {}}\n", "sweep 's' has no points"},
		{"judge: 1\nstorage: {t: {disk_rate: 120}}\n", "f:2:26: storage.t.disk_rate: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct yaml_errors errors = {.file = "f"};
		struct foreign foreign;
		assert_false(foreign_parse(&foreign, cases[i].text, strlen(cases[i].text), NULL,
					   &errors));
		if (!errors.count || !strstr(errors.lines[0], cases[i].error))
			fail_msg("row %zu: '%s', not '%s'", i,
				 errors.count ? errors.lines[0] : "no error", cases[i].error);
		yaml_errors_release(&errors);
	}
}

static void build(const char *text, struct result *result, struct result_series *series)
{
	struct yaml_errors errors = {.file = "f"};
	struct foreign foreign;

	if (!foreign_parse(&foreign, text, strlen(text), NULL, &errors))
		fail_msg("%s", errors.lines[0]);
	foreign_build(&foreign, result, series);
	foreign_release(&foreign);
}

/* Sums over buckets are the totals, whatever the rate and wherever it begins. */
static void totals_are_spread_whole(void **state)
{
	struct result result;
	struct result_series series;

	(void)state;
	build("judge: 1\n" PHASE
	      "measured: [{phase: p, moved: [{start_s: 1.23, end_s: 68.9, bytes: 1234567891.0},"
	      "{start_s: 0.5, end_s: 60.0, bytes: 777.0}]}]\n",
	      &result, &series);
	const struct result_target *target = &result.phases[0].hosts[0].targets[0];
	assert_int_equal(target->bytes, 1234567891 + 777);
	assert_int_equal(target->first_io_ns, 1000000000);
	assert_int_equal(target->last_io_ns, UINT64_C(69400000000));
	foreign_result_release(&result, &series);
	build("judge: 1\n" PHASE
	      "measured: [{phase: p, moved: [{bytes_per_s: 300000000.0, seconds: 60.0}]}]\n",
	      &result, &series);
	assert_int_equal(result.phases[0].hosts[0].targets[0].bytes, UINT64_C(18000000000));
	foreign_result_release(&result, &series);
}

/* Three hosts, the third slow. */
static const char three[] = "judge: 1\n" PHASE "measured: [{phase: p, moved: ["
			    "{host: a, bytes_per_s: 500000000.0, seconds: 60.0},"
			    "{host: b, bytes_per_s: 502000000.0, seconds: 60.0},"
			    "{host: c, bytes_per_s: 300000000.0, seconds: 60.0}]}]\n"
			    "gates: [{phase: p, metric: spread, of: fleet, at_most: 10%},"
			    "{phase: p, metric: throughput, of: fleet, at_least: 1 MB/s},"
			    "{phase: p, metric: steadiness, of: fleet, at_most: 20%},"
			    "{phase: p, metric: start_skew, of: fleet, at_most: 1s}]\n";

/* As `muster run` writes them; both the caller's to free. */
static char *write_down(const struct result *result, const struct result_series *series,
			struct bytes *csv)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, &csv->size);

	report_timeline(result, series, file);
	fclose(file);
	csv->data = (unsigned char *)text;
	return record_json_format(&result_table, result);
}

static void what_was_judged_is_judged_alike_again(void **state)
{
	struct result first, second;
	struct result_series series, again;
	struct error err = {0};
	struct bytes csv = {0};

	(void)state;
	build(three, &first, &series);
	assert_int_equal(judge_result(&first, &series, NULL), 1);
	char *json = write_down(&first, &series, &csv);
	if (judge_parse_run(json, &csv, &second, &again, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(second.findings_count, 1); /* NO_TIMELINE: the file is gone */
	assert_int_equal(judge_result(&second, &again, NULL), 1);
	assert_int_equal(second.findings_count, first.findings_count);
	for (uint32_t f = 0; f < first.findings_count; f++) {
		assert_string_equal(first.findings[f].code, second.findings[f].code);
		assert_string_equal(first.findings[f].evidence, second.findings[f].evidence);
	}
	foreign_result_release(&first, &series);
	foreign_result_release(&second, &again);
	free(json);
	free(csv.data);
}

/* No gate that needs a steady phase is judged, and none has an interval; but of totals alone there
 * never was a timeline. */
static void a_run_without_its_timeline_is_inconclusive(void **state)
{
	struct result first, second;
	struct result_series series, again;
	struct error err = {0};
	struct bytes csv = {0};
	bool is_said = false;

	(void)state;
	build(three, &first, &series);
	judge_result(&first, &series, NULL);
	char *json = write_down(&first, &series, &csv);
	if (judge_parse_run(json, NULL, &second, &again, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(judge_result(&second, &again, NULL), 1);
	foreign_result_release(&second, &again);
	memcpy(strstr(json, "\"NO_TIMELINE\""), "\"OF_A_RUN_QQ\"", strlen("\"NO_TIMELINE\""));
	if (judge_parse_run(json, NULL, &second, &again, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(judge_result(&second, &again, NULL), 4);
	for (uint32_t f = 0; f < second.findings_count; f++)
		is_said |= strcmp(second.findings[f].code, "TIMELINE_MISSING") == 0;
	assert_true(is_said);
	for (uint32_t g = 0; g < second.gates_count; g++) {
		assert_string_equal(second.gates[g].state, "INCONCLUSIVE");
		if (g < 3)
			assert_non_null(strstr(second.gates[g].text, "timeline"));
		assert_true(isnan(second.gates[g].low) && isnan(second.gates[g].high));
	}
	foreign_result_release(&first, &series);
	foreign_result_release(&second, &again);
	free(json);
	free(csv.data);
}

/* The result says how much there must be. */
static void a_timeline_that_was_cut_is_refused(void **state)
{
	struct result first, second;
	struct result_series series, again;
	struct error err = {0};
	struct bytes csv = {0};

	(void)state;
	build(three, &first, &series);
	judge_result(&first, &series, NULL);
	char *json = write_down(&first, &series, &csv);
	csv.size--;
	while (csv.data[csv.size - 1] != '\n') /* the last line is gone, the rest is whole */
		csv.size--;
	assert_int_equal(judge_parse_run(json, &csv, &second, &again, &err), -1);
	assert_non_null(strstr(err.text, "host 'c', target 't': its lines add up to"));
	assert_non_null(strstr(err.text, "run.json has 18000000000"));
	foreign_result_release(&first, &series);
	free(json);
	free(csv.data);
}

static void a_timeline_of_another_run_is_refused(void **state)
{
	struct result result, again;
	struct result_series series, other;
	struct error err = {0};
	static const char text[] =
		"phase,name,trial,host,target,bucket,start_ns,bucket_ns,ramp,bytes,"
		"bytes_read,bytes_written,operations,errors,worst_ns,"
		"edge_error_ns,edge_bound_ns,disrupted\n"
		"1,p,1,z,t,0,0,100000000,false,1,1,0,1,0,5,-3,7,false\n";
	const struct bytes csv = {.data = (unsigned char *)(uintptr_t)text,
				  .size = sizeof(text) - 1};

	(void)state;
	build("judge: 1\n" PHASE "measured: [{phase: p, moved: [{bytes: 5.0, seconds: 60.0}]}]\n",
	      &result, &series);
	judge_result(&result, &series, NULL);
	char *json = record_json_format(&result_table, &result);
	assert_int_equal(judge_parse_run(json, &csv, &again, &other, &err), -1);
	assert_non_null(strstr(err.text, "run.json has no such host"));
	assert_int_equal(judge_parse_run("{}", NULL, &again, &other, &err), -1);
	foreign_result_release(&result, &series);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_said_where_it_stands),
		cmocka_unit_test(totals_are_spread_whole),
		cmocka_unit_test(what_was_judged_is_judged_alike_again),
		cmocka_unit_test(a_run_without_its_timeline_is_inconclusive),
		cmocka_unit_test(a_timeline_that_was_cut_is_refused),
		cmocka_unit_test(a_timeline_of_another_run_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
