#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"

/* Two hosts with two targets each, 10 s: 100 and 50 MB/s on h1, 200 and 50 on h2, 100 times as
 * many operations as MB/s divided by one. */
static struct result_phase *make(struct sample *sample)
{
	static const uint64_t rates[2][2] = {{100, 50}, {200, 50}};

	*sample = (struct sample){0};
	struct result_phase *phase = sample_phase(sample, "p", "read", S, 2, 2);
	for (uint32_t h = 0; h < 2; h++)
		for (uint32_t t = 0; t < 2; t++) {
			sample_load(sample, h, t, 0, 10 * S, rates[h][t] * 10 * MB,
				    rates[h][t] * 10);
			window_target_rates(phase, &phase->hosts[h].targets[t]);
			sample_device(phase, h, t ? "sdb" : "sda", t ? "t2" : "t1", 1.0);
		}
	sample_plan(sample);
	return phase;
}

static void add_gate(struct sample *sample, const char *phase, enum plan_metric metric,
		     enum plan_of of, const char *at_least, const char *at_most)
{
	struct plan *plan = sample->result.plan;
	struct plan_gate *gate = RECORD_APPEND(plan->gates, plan->gates_count);

	*gate = (struct plan_gate){.phase = mem_text(phase),
				   .metric = metric,
				   .of = of,
				   .at_least = mem_text(at_least),
				   .at_most = mem_text(at_most)};
}

static enum result_outcome judge(struct sample *sample)
{
	for (uint32_t p = 0; p < sample->result.phases_count; p++)
		window_compute(&sample->result.phases[p], &sample->series.phases[p], true);
	findings_compute(&sample->result, &sample->series);
	gates_compute(&sample->result, &sample->series, NULL);
	return gates_outcome(&sample->result);
}

/* "who value STATE, …" of all rows. */
static void describe(const struct result *result, char *text, size_t size)
{
	text[0] = '\0';
	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *gate = &result->gates[g];
		char value[UNITS_TEXT_SIZE];
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%s%s %s %s", used ? ", " : "", gate->who,
			 gates_format_value(value, gate), gate->state);
	}
}

static void a_gate_holds_each_one_that_it_is_about(void **state)
{
	static const struct {
		enum plan_metric metric;
		enum plan_of of;
		const char *at_least, *at_most, *want;
		enum result_outcome outcome;
	} cases[] = {
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "150 MB/s", NULL,
		 "h1 150.0 MB/s PASS, h2 250.0 MB/s PASS", RESULT_OUTCOME_PASS},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "151 MB/s", NULL,
		 "h1 150.0 MB/s FAIL, h2 250.0 MB/s PASS", RESULT_OUTCOME_FAIL},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_TARGET, NULL, "100 MB/s",
		 "h1:t1 100.0 MB/s PASS, h1:t2 50.00 MB/s PASS, h2:t1 200.0 MB/s FAIL, h2:t2 50.00 "
		 "MB/s PASS",
		 RESULT_OUTCOME_FAIL},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "400 MB/s", NULL, "fleet 400.0 MB/s PASS",
		 RESULT_OUTCOME_PASS},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "400 MB/s", "401 MB/s",
		 "fleet 400.0 MB/s PASS", RESULT_OUTCOME_PASS},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "400 MiB/s", NULL, "fleet 381.5 MiB/s FAIL",
		 RESULT_OUTCOME_FAIL},
		{PLAN_METRIC_IOPS, PLAN_OF_HOST, "200", NULL, "h1 150.0 FAIL, h2 250.0 PASS",
		 RESULT_OUTCOME_FAIL},
		{PLAN_METRIC_IOPS, PLAN_OF_FLEET, NULL, "400", "fleet 400.0 PASS",
		 RESULT_OUTCOME_PASS},
		{PLAN_METRIC_ERRORS, PLAN_OF_HOST, NULL, "0", "h1 0 PASS, h2 0 PASS",
		 RESULT_OUTCOME_PASS},
		/* 100 between them, their median is 200 */
		{PLAN_METRIC_SPREAD, PLAN_OF_FLEET, NULL, "50%", "fleet 50.0 % PASS",
		 RESULT_OUTCOME_PASS},
		{PLAN_METRIC_SPREAD, PLAN_OF_FLEET, NULL, "49%", "fleet 50.0 % FAIL",
		 RESULT_OUTCOME_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[512];
		make(&sample);
		add_gate(&sample, "p", cases[i].metric, cases[i].of, cases[i].at_least,
			 cases[i].at_most);
		enum result_outcome outcome = judge(&sample);
		describe(&sample.result, is, sizeof(is));
		if (strcmp(is, cases[i].want) != 0 || outcome != cases[i].outcome)
			fail_msg("case %zu: '%s' %s, wanted '%s'", i, is, sample.result.outcome,
				 cases[i].want);
		sample_release(&sample);
	}
}

static void one_host_has_no_spread(void **state)
{
	struct sample sample = {0};

	(void)state;
	sample_phase(&sample, "p", "read", S, 1, 1);
	sample_load(&sample, 0, 0, 0, 10 * S, 1000 * MB, 1000);
	sample_plan(&sample);
	add_gate(&sample, "p", PLAN_METRIC_SPREAD, PLAN_OF_FLEET, NULL, "10%");
	assert_int_equal(judge(&sample), RESULT_OUTCOME_INCONCLUSIVE);
	assert_string_equal(sample.result.gates[0].state, "INCONCLUSIVE");
	sample_release(&sample);
}

static void the_fleet_of_a_fixed_amount_is_judged_by_its_span(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 1);
	sample_load(&sample, 0, 0, 0, 5 * S, 1000 * MB, 1000);
	sample_load(&sample, 1, 0, 0, 10 * S, 1000 * MB, 1000);
	sample_plan(&sample);
	add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "250 MB/s", NULL);
	window_compute(phase, &sample.series.phases[0], false);
	gates_compute(&sample.result, &sample.series, NULL);
	assert_int_equal(sample.result.gates_count, 1);
	assert_true(fabs(sample.result.gates[0].value - 200e6) < 1);
	assert_string_equal(sample.result.gates[0].limit, "at_least 250 MB/s");
	assert_string_equal(sample.result.gates[0].state, "FAIL");
	sample_release(&sample);
}

static void gates_do_not_read_partial_figures(void **state)
{
	struct sample sample;
	char is[512];

	(void)state;
	struct result_phase *phase = make(&sample);
	free(phase->hosts[1].state);
	phase->hosts[1].state = mem_text("lost");
	phase->hosts[1].lost_at_ns = 3 * S;
	add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "1 MB/s", NULL);
	add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "1 MB/s", NULL);
	assert_int_equal(judge(&sample), RESULT_OUTCOME_INVALID);
	describe(&sample.result, is, sizeof(is));
	assert_string_equal(
		is, "fleet not measured INVALID, h1 150.0 MB/s PASS, h2 not measured INVALID");
	assert_string_equal(sample.result.reason,
			    "HOST_LOST, phase 'p', host 'h2': the host was lost 2.000 s into the "
			    "phase, 3.000 s into the run: it fell silent");
	sample_release(&sample);
}

static void a_gate_on_a_phase_that_was_not_run_is_invalid(void **state)
{
	struct sample sample;
	char is[512];

	(void)state;
	make(&sample);
	add_gate(&sample, "never", PLAN_METRIC_IOPS, PLAN_OF_HOST, "1", NULL);
	assert_int_equal(judge(&sample), RESULT_OUTCOME_INVALID);
	describe(&sample.result, is, sizeof(is));
	assert_string_equal(is, "fleet not measured INVALID");
	sample_release(&sample);
}

static void errors_make_a_run_invalid_unless_a_gate_allows_them(void **state)
{
	static const struct {
		enum plan_of of;
		const char *at_least, *at_most;
		const char *level; /* of h1's errors, 3 on t1; h2 has 5 on t1 */
		enum result_outcome outcome;
	} cases[] = {
		{PLAN_OF_FLEET, NULL, "8", "NOTE", RESULT_OUTCOME_PASS},
		{PLAN_OF_FLEET, NULL, "7", "INVALID", RESULT_OUTCOME_INVALID},
		{PLAN_OF_FLEET, "1", NULL, "INVALID", RESULT_OUTCOME_INVALID},
		{PLAN_OF_HOST, NULL, "5", "NOTE", RESULT_OUTCOME_PASS},
		{PLAN_OF_HOST, NULL, "3", "NOTE", RESULT_OUTCOME_INVALID},
		{PLAN_OF_TARGET, NULL, "5", "NOTE", RESULT_OUTCOME_PASS},
		{PLAN_OF_TARGET, NULL, "2", "INVALID", RESULT_OUTCOME_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		struct result_phase *phase = make(&sample);
		phase->hosts[0].targets[0].errors = 3;
		phase->hosts[1].targets[0].errors = 5;
		add_gate(&sample, "p", PLAN_METRIC_ERRORS, cases[i].of, cases[i].at_least,
			 cases[i].at_most);
		enum result_outcome outcome = judge(&sample);
		assert_string_equal(sample.result.findings[0].code, "IO_ERRORS");
		if (outcome != cases[i].outcome ||
		    strcmp(sample.result.findings[0].level, cases[i].level) != 0)
			fail_msg("case %zu: %s, %s", i, sample.result.outcome,
				 sample.result.findings[0].level);
		sample_release(&sample);
	}
}

static void errors_that_one_gate_allows_and_another_does_not_stay(void **state)
{
	struct sample sample;

	(void)state;
	struct result_phase *phase = make(&sample);
	phase->hosts[0].targets[0].errors = 3;
	add_gate(&sample, "p", PLAN_METRIC_ERRORS, PLAN_OF_FLEET, NULL, "10");
	add_gate(&sample, "p", PLAN_METRIC_ERRORS, PLAN_OF_HOST, NULL, "0");
	assert_int_equal(judge(&sample), RESULT_OUTCOME_INVALID);
	sample_release(&sample);
}

static void each_trial_is_held_by_itself(void **state)
{
	struct sample sample;
	char is[512];

	(void)state;
	make(&sample);
	sample_phase(&sample, "p", "read", 20 * S, 1, 1)->trial = 2;
	sample_load(&sample, 0, 0, 0, 10 * S, 100 * MB, 100);
	add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "100 MB/s", NULL);
	assert_int_equal(judge(&sample), RESULT_OUTCOME_FAIL);
	describe(&sample.result, is, sizeof(is));
	assert_string_equal(is, "fleet 400.0 MB/s PASS, fleet 10.00 MB/s FAIL");
	assert_int_equal(sample.result.gates[1].trial, 2);
	sample_release(&sample);
}

static void the_outcome_is_the_worst_that_holds(void **state)
{
	static const struct {
		const char *standing, *level, *at_least;
		enum result_outcome want;
		int code;
	} cases[] = {
		{NULL, "WARN", "1 MB/s", RESULT_OUTCOME_PASS, 0},
		{NULL, "NOTE", "1 GB/s", RESULT_OUTCOME_FAIL, 1},
		{NULL, "INVALID", "1 MB/s", RESULT_OUTCOME_INVALID, 3},
		{NULL, "INVALID", "1 GB/s", RESULT_OUTCOME_INVALID, 3},
		{"REFUSED", "INVALID", "1 GB/s", RESULT_OUTCOME_REFUSED, 5},
		{"NOT_SET_UP", "WARN", "1 MB/s", RESULT_OUTCOME_NOT_SET_UP, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		make(&sample);
		sample.result.outcome = mem_text(cases[i].standing);
		findings_add(&sample.result, "SOMETHING", cases[i].level, NULL, NULL, NULL, NULL,
			     "it is so");
		add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, cases[i].at_least,
			 NULL);
		assert_int_equal(judge(&sample), cases[i].want);
		assert_int_equal(result_exit_code(cases[i].want), cases[i].code);
		assert_string_equal(sample.result.outcome, result_outcome_names[cases[i].want]);
		if (cases[i].want == RESULT_OUTCOME_PASS)
			assert_null(sample.result.reason);
		else if (!cases[i].standing)
			assert_non_null(sample.result.reason);
		sample_release(&sample);
	}
}

static void a_failure_says_what_was_wanted_and_what_is(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample);
	add_gate(&sample, "p", PLAN_METRIC_THROUGHPUT, PLAN_OF_TARGET, "60 MB/s", NULL);
	judge(&sample);
	assert_string_equal(
		sample.result.reason,
		"throughput of h1:t2 in phase 'p' is 50.00 MB/s, the gate says at_least "
		"60 MB/s; 1 more gate does not hold");
	sample_release(&sample);
}

static void a_value_just_below_its_limit_does_not_read_like_it(void **state)
{
	struct sample sample;
	char value[UNITS_TEXT_SIZE];

	(void)state;
	make(&sample);
	for (uint32_t t = 0; t < 2; t++)
		sample.result.phases[0].hosts[0].targets[t].operations = t ? 996 : 500;
	add_gate(&sample, "p", PLAN_METRIC_IOPS, PLAN_OF_HOST, "150", NULL);
	assert_int_equal(judge(&sample), RESULT_OUTCOME_FAIL);
	assert_string_equal(gates_format_value(value, &sample.result.gates[0]), "149.6");
	sample_release(&sample);
}

static void a_run_of_no_phases_does_not_pass(void **state)
{
	struct sample sample = {0};

	(void)state;
	assert_int_equal(gates_outcome(&sample.result), RESULT_OUTCOME_INVALID);
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gate_holds_each_one_that_it_is_about),
		cmocka_unit_test(one_host_has_no_spread),
		cmocka_unit_test(the_fleet_of_a_fixed_amount_is_judged_by_its_span),
		cmocka_unit_test(gates_do_not_read_partial_figures),
		cmocka_unit_test(a_gate_on_a_phase_that_was_not_run_is_invalid),
		cmocka_unit_test(errors_make_a_run_invalid_unless_a_gate_allows_them),
		cmocka_unit_test(errors_that_one_gate_allows_and_another_does_not_stay),
		cmocka_unit_test(each_trial_is_held_by_itself),
		cmocka_unit_test(the_outcome_is_the_worst_that_holds),
		cmocka_unit_test(a_failure_says_what_was_wanted_and_what_is),
		cmocka_unit_test(a_value_just_below_its_limit_does_not_read_like_it),
		cmocka_unit_test(a_run_of_no_phases_does_not_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
