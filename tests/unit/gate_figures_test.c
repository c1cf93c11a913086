/* Figures of gates, what makes them INVALID or INCONCLUSIVE, their intervals and margins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/baseline.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/group.h"
#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"

/* Four hosts of one target, 100, 100, 100 and 60 MB/s for 20 s, a thousand operations of 1 to 10 ms
 * each; h1 and h2 have label fs=xfs, h3 and h4 fs=ufs. */
static struct result_phase *add_phase(struct sample *sample, const char *name, uint32_t trial)
{
	static const uint64_t rates[] = {100, 100, 100, 60};
	struct result_phase *phase = sample_phase(sample, name, "read", S, 4, 1);
	struct phase_series *series = &sample->series.phases[sample->result.phases_count - 1];

	phase->trial = trial;
	for (uint32_t h = 0; h < 4; h++) {
		struct result_target *target = &phase->hosts[h].targets[0];
		sample_load(sample, h, 0, 0, 20 * S, rates[h] * 20 * MB, rates[h] * 20);
		window_target_rates(phase, target);
		sample_device(phase, h, "sda", "t1", 1.0);
		for (uint64_t i = 0; i < 1000; i++)
			histogram_add(&series->latency[h][0], (1 + i / 100) * NS_PER_MS);
		target->latency_ns = window_latency(&series->latency[h][0]);
	}
	window_compute(phase, series, true);
	return phase;
}

static void make(struct sample *sample, const char *name)
{
	*sample = (struct sample){0};
	add_phase(sample, name, 1);
	for (uint32_t h = 0; h < 4; h++) {
		struct result_host *host =
			RECORD_APPEND(sample->result.hosts, sample->result.hosts_count);
		host->host = mem_format("h%u", h + 1);
		struct plan_label *label = RECORD_APPEND(host->labels, host->labels_count);
		label->name = mem_text("fs");
		label->value = mem_text(h < 2 ? "xfs" : "ufs");
	}
	sample_plan(sample);
}

static struct plan_gate *add_gate(struct sample *sample, enum plan_metric metric, enum plan_of of,
				  const char *at_least, const char *at_most)
{
	struct plan *plan = sample_plan(sample);
	struct plan_gate *gate = RECORD_APPEND(plan->gates, plan->gates_count);

	gate->phase = mem_text("p");
	gate->metric = metric;
	gate->of = of;
	gate->label = of == PLAN_OF_LABEL ? mem_text("fs") : NULL;
	gate->at_least = mem_text(at_least);
	gate->at_most = mem_text(at_most);
	return gate;
}

/* "fleet 360.0 MB/s PASS, …" */
static void describe(const struct result *result, char *text, size_t size)
{
	char value[UNITS_TEXT_SIZE];

	text[0] = '\0';
	for (uint32_t g = 0; g < result->gates_count; g++) {
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%s%s %s %s", g ? ", " : "",
			 result->gates[g].who, gates_format_value(value, &result->gates[g]),
			 result->gates[g].state);
	}
}

static void each_metric_has_its_figure(void **state)
{
	static const struct {
		enum plan_metric metric;
		enum plan_of of;
		const char *at_least, *at_most, *want;
	} cases[] = {
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "360 MB/s", NULL, "fleet 360.0 MB/s PASS"},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_LABEL, "170 MB/s", NULL,
		 "fs=ufs 160.0 MB/s FAIL, fs=xfs 200.0 MB/s PASS"},
		{PLAN_METRIC_IOPS, PLAN_OF_LABEL, "160", NULL,
		 "fs=ufs 160.0 PASS, fs=xfs 200.0 PASS"},
		{PLAN_METRIC_SPREAD, PLAN_OF_FLEET, NULL, "39.9%", "fleet 40.0 % FAIL"},
		{PLAN_METRIC_SPREAD, PLAN_OF_FLEET, NULL, "40%", "fleet 40.0 % PASS"},
		{PLAN_METRIC_SPREAD, PLAN_OF_LABEL, NULL, "10%",
		 "fs=ufs 50.0 % FAIL, fs=xfs 0.0 % PASS"},
		{PLAN_METRIC_P50_LATENCY, PLAN_OF_FLEET, NULL, "5.1ms", "fleet 5.014 ms PASS"},
		{PLAN_METRIC_P99_LATENCY, PLAN_OF_FLEET, NULL, "9ms", "fleet 10.00 ms FAIL"},
		{PLAN_METRIC_MAX_LATENCY, PLAN_OF_LABEL, NULL, "10ms",
		 "fs=ufs 10.00 ms PASS, fs=xfs 10.00 ms PASS"},
		{PLAN_METRIC_START_SKEW, PLAN_OF_FLEET, NULL, "2ms", "fleet 3.000 ms FAIL"},
		{PLAN_METRIC_ERRORS, PLAN_OF_LABEL, NULL, "0", "fs=ufs 0 PASS, fs=xfs 0 PASS"},
		{PLAN_METRIC_DEVICE_SHARE, PLAN_OF_FLEET, "95%", "105%", "fleet 100.0 % PASS"},
		/* 4,000 samples of the fleet have four beyond p99.9, a host's thousand one */
		{PLAN_METRIC_P999_LATENCY, PLAN_OF_FLEET, NULL, "1s",
		 "fleet not measured INCONCLUSIVE"},
		/* parts of two seconds */
		{PLAN_METRIC_STEADINESS, PLAN_OF_FLEET, NULL, "20%",
		 "fleet not measured INCONCLUSIVE"},
		{PLAN_METRIC_STRIPE_EFFICIENCY, PLAN_OF_FLEET, "90%", NULL,
		 "fleet not measured INCONCLUSIVE"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[512];
		make(&sample, "p");
		sample.result.phases[0].start_skew_ns = 3 * NS_PER_MS;
		add_gate(&sample, cases[i].metric, cases[i].of, cases[i].at_least,
			 cases[i].at_most);
		gates_compute(&sample.result, &sample.series, NULL);
		describe(&sample.result, is, sizeof(is));
		if (strcmp(is, cases[i].want) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, is, cases[i].want);
		sample_release(&sample);
	}
}

static void the_mean_is_that_of_the_samples(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "p");
	add_gate(&sample, PLAN_METRIC_MEAN_LATENCY, PLAN_OF_HOST, NULL, "6ms");
	gates_compute(&sample.result, &sample.series, NULL);
	for (uint32_t g = 0; g < 4; g++) /* 1 to 10 ms, as many of each */
		assert_true(fabs(sample.result.gates[g].value / 5.5e6 - 1) < 0.004);
	sample_release(&sample);
}

static void a_long_even_phase_is_perfectly_steady(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	sample_load(&sample, 0, 0, 0, 60 * S, 6000 * MB, 60000);
	window_compute(phase, &sample.series.phases[0], true);
	sample_plan(&sample);
	add_gate(&sample, PLAN_METRIC_STEADINESS, PLAN_OF_HOST, NULL, "20%");
	gates_compute(&sample.result, &sample.series, NULL);
	assert_string_equal(sample.result.gates[0].state, "PASS");
	assert_true(sample.result.gates[0].value < 0.1);
	sample_release(&sample);
}

/* What is found of the phase, and what becomes of three gates: throughput of each host, of the
 * fleet, and errors of the fleet. */
static void a_finding_spoils_the_figures_that_it_is_about(void **state)
{
	static const struct {
		const char *code, *level, *phase, *host, *target;
		const char *want;
		enum result_outcome outcome;
	} cases[] = {
		{"TOO_SHORT", "INVALID", "p", NULL, NULL, "INVALID x4, INVALID, INVALID",
		 RESULT_OUTCOME_INVALID},
		{"CACHE_SERVED", "INVALID", "p", "h4", "t1", "last INVALID, INVALID, INVALID",
		 RESULT_OUTCOME_INVALID},
		{"CACHE_SERVED", "NOTE", "p", "h4", "t1", "last FAIL, PASS, PASS",
		 RESULT_OUTCOME_FAIL},
		{"NOT_STEADY", "WARN", "p", NULL, NULL, "INCONCLUSIVE x4, INCONCLUSIVE, PASS",
		 RESULT_OUTCOME_INCONCLUSIVE},
		/* a phase is steady where each host is */
		{"NOT_STEADY", "WARN", "p", "h4", NULL, "INCONCLUSIVE x4, INCONCLUSIVE, PASS",
		 RESULT_OUTCOME_INCONCLUSIVE},
		{"NOT_STEADY", "WARN", "q", NULL, NULL, "last FAIL, PASS, PASS",
		 RESULT_OUTCOME_FAIL},
		{"OUTLIER", "WARN", "p", "h4", NULL, "last FAIL, PASS, PASS", RESULT_OUTCOME_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[256];
		make(&sample, "p");
		struct result_phase of = {.name = mem_text(cases[i].phase), .trial = 1};
		findings_add(&sample.result, cases[i].code, cases[i].level, &of, cases[i].host,
			     cases[i].target, NULL, "it is so");
		free(of.name);
		add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "70 MB/s", NULL);
		add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "1 MB/s", NULL);
		add_gate(&sample, PLAN_METRIC_ERRORS, PLAN_OF_FLEET, NULL, "0");
		gates_compute(&sample.result, &sample.series, NULL);
		const struct result_gate *g = sample.result.gates;
		bool all = strcmp(g[0].state, g[3].state) == 0;
		snprintf(is, sizeof(is), "%s%s%s, %s, %s", all ? "" : "last ", g[3].state,
			 all ? " x4" : "", g[4].state, g[5].state);
		if (!all)
			assert_string_equal(g[0].state, "PASS");
		if (strcmp(is, cases[i].want) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, is, cases[i].want);
		assert_int_equal(gates_outcome(&sample.result), cases[i].outcome);
		sample_release(&sample);
	}
}

static void what_is_invalid_is_shown_and_says_why(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "p");
	findings_add(&sample.result, "TOO_SHORT", NULL, &sample.result.phases[0], NULL, NULL, NULL,
		     "it is short");
	add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "1 MB/s", NULL);
	gates_compute(&sample.result, &sample.series, NULL);
	assert_true(fabs(sample.result.gates[0].value - 360e6) < 1);
	assert_true(isnan(sample.result.gates[0].margin));
	assert_string_equal(sample.result.gates[0].text, "TOO_SHORT, phase 'p': it is short");
	sample_release(&sample);
}

static void an_invalid_host_feeds_no_total(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "p");
	struct result_phase *phase = &sample.result.phases[0];
	group_withhold(&sample.result, &sample.series);
	assert_non_null(phase->cluster);
	findings_add(&sample.result, "OUTLIER", NULL, phase, "h4", NULL, NULL, "it is so");
	group_withhold(&sample.result, &sample.series);
	assert_non_null(phase->cluster);
	findings_add(&sample.result, "CACHE_SERVED", NULL, phase, "h4", "t1", NULL, "it is so");
	group_withhold(&sample.result, &sample.series);
	assert_null(phase->cluster);
	assert_int_equal(phase->cluster_partial->hosts, 3);
	assert_int_equal(phase->cluster_partial->of, 4);
	assert_true(fabs(phase->cluster_partial->all_active_bytes_per_s - 300e6) < 1);
	assert_int_equal(phase->cluster_partial->bytes, 6000 * MB);
	sample_release(&sample);
}

/* ---- intervals and margins ---- */

static void margins_are_of_the_nearest_limit(void **state)
{
	static const struct {
		const char *at_least, *at_most;
		double want;
	} cases[] = {
		{"300 MB/s", NULL, 0.2},  {"400 MB/s", NULL, -0.1},      {NULL, "400 MB/s", 0.1},
		{NULL, "300 MB/s", -0.2}, {"200 MB/s", "400 MB/s", 0.1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		make(&sample, "p");
		add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, cases[i].at_least,
			 cases[i].at_most);
		gates_compute(&sample.result, &sample.series, NULL);
		assert_true(fabs(sample.result.gates[0].margin - cases[i].want) < 1e-6);
		sample_release(&sample);
	}
}

static void a_percentile_lies_between_order_statistics(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "p");
	struct histogram *h = &sample.series.phases[0].latency[0][0];
	memset(h, 0, sizeof(*h));
	for (uint64_t i = 1; i <= 1000; i++) /* p99 of a thousand: ranks 983 to 997 */
		histogram_add(h, i);
	add_gate(&sample, PLAN_METRIC_P99_LATENCY, PLAN_OF_HOST, NULL, "1s");
	gates_compute(&sample.result, &sample.series, NULL);
	const struct result_gate *gate = &sample.result.gates[0];
	assert_int_equal(gate->value, histogram_at(h, 990));
	assert_int_equal(gate->low, histogram_at(h, 983));
	assert_int_equal(gate->high, histogram_at(h, 997));
	sample_release(&sample);
}

/* A thousand of `ns` each on every host. */
static struct histogram **alike(const struct result_phase *phase, uint64_t ns)
{
	struct histogram **all = mem_new(phase->hosts_count, sizeof(*all));

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		all[h] = mem_new(1, sizeof(**all));
		for (uint32_t i = 0; i < 1000; i++)
			histogram_add(all[h], ns);
	}
	return all;
}

static void free_all(const struct result_phase *phase, struct histogram ***all)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		free((*all)[h]);
	free(*all);
	*all = NULL;
}

/* Service at 10 ms, response at 30 ms and syncs at 50 ms: each has metrics of its own. */
static void service_response_and_syncs_are_told_apart(void **state)
{
	static const struct {
		enum plan_metric metric;
		enum plan_of of;
		const char *want;
	} cases[] = {
		{PLAN_METRIC_P50_LATENCY, PLAN_OF_FLEET, "fleet 30.00 ms PASS"},
		{PLAN_METRIC_MAX_LATENCY, PLAN_OF_FLEET, "fleet 30.00 ms PASS"},
		{PLAN_METRIC_MAX_SERVICE, PLAN_OF_FLEET, "fleet 10.00 ms PASS"},
		{PLAN_METRIC_P50_SERVICE, PLAN_OF_FLEET, "fleet 5.014 ms PASS"},
		{PLAN_METRIC_P50_SYNC, PLAN_OF_FLEET, "fleet 50.00 ms PASS"},
		{PLAN_METRIC_MEAN_SYNC, PLAN_OF_FLEET, "fleet 49.94 ms PASS"}, /* by buckets */
		{PLAN_METRIC_MAX_SYNC, PLAN_OF_LABEL, "fs=ufs 50.00 ms PASS, fs=xfs 50.00 ms PASS"},
		{PLAN_METRIC_P999_SYNC, PLAN_OF_FLEET, "fleet not measured INCONCLUSIVE"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[512];
		make(&sample, "p");
		struct result_phase *phase = &sample.result.phases[0];
		struct phase_series *series = &sample.series.phases[0];
		series->response = alike(phase, 30 * NS_PER_MS);
		series->syncs = alike(phase, 50 * NS_PER_MS);
		add_gate(&sample, cases[i].metric, cases[i].of, NULL, "1s");
		gates_compute(&sample.result, &sample.series, NULL);
		describe(&sample.result, is, sizeof(is));
		if (strcmp(is, cases[i].want) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, is, cases[i].want);
		free_all(phase, &series->response);
		free_all(phase, &series->syncs);
		sample_release(&sample);
	}
}

static void a_rate_lies_between_parts_of_the_window(void **state)
{
	struct sample sample;
	char text[GATES_INTERVAL_SIZE];

	(void)state;
	make(&sample, "p");
	struct series *series = &sample.series.phases[0].series[0][0];
	for (uint32_t b = 0; b < series->count; b++) /* h1: a step of 1 MB/s each second */
		series->buckets[b].bytes_read = (91 + b / 10) * MB / 10;
	add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "1 MB/s", NULL);
	gates_compute(&sample.result, &sample.series, NULL);
	/* ten parts: 91.5, 93.5, ... 109.5 MB/s; the second and the ninth */
	assert_string_equal(gates_format_interval(text, &sample.result.gates[0]),
			    "[93.50, 107.5 MB/s]");
	assert_string_equal(gates_format_interval(text, &sample.result.gates[1]),
			    "[100.0, 100.0 MB/s]");
	sample_release(&sample);
}

/* The middle of the parts says nothing about a mean that is not among them. */
static void an_interval_has_its_figure_in_it(void **state)
{
	static const struct {
		uint32_t nothing; /* of h1's 200 buckets */
		const char *code, *want;
	} cases[] = {{0, NULL, "[100.0, 100.0 MB/s]"},
		     {10, NULL, ""},
		     {0, "STALL", ""},
		     {0, "DIPS", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char text[GATES_INTERVAL_SIZE];
		make(&sample, "p");
		struct result_phase *phase = &sample.result.phases[0];
		struct result_target *target = &phase->hosts[0].targets[0];
		struct series *series = &sample.series.phases[0].series[0][0];
		for (uint32_t b = 0; b < cases[i].nothing; b++)
			series->buckets[50 + b].bytes_read = 0;
		target->bytes -= cases[i].nothing * 10 * MB;
		window_target_rates(phase, target);
		if (cases[i].code)
			findings_add(&sample.result, cases[i].code, NULL, phase, NULL, NULL, NULL,
				     "it is so");
		add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "1 MB/s", NULL);
		gates_compute(&sample.result, &sample.series, NULL);
		assert_string_equal(gates_format_interval(text, &sample.result.gates[0]),
				    cases[i].want);
		sample_release(&sample);
	}
}

static void six_trials_have_an_interval_of_their_median(void **state)
{
	for (uint32_t trials = 5; trials <= 6; trials++) {
		struct sample sample = {0};
		(void)state;
		for (uint32_t t = 1; t <= trials; t++) {
			struct result_phase *phase =
				sample_phase(&sample, "p", "read", t * 100 * S, 1, 1);
			phase->trial = t;
			sample_load(&sample, 0, 0, 0, 5 * S, (100 + t) * 5 * MB, 500);
			window_compute(phase, &sample.series.phases[t - 1], true);
		}
		sample_plan(&sample);
		add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "1 MB/s", NULL);
		gates_compute(&sample.result, &sample.series, NULL);
		const struct result_gate *gate = &sample.result.gates[2];
		if (trials == 5)
			assert_true(isnan(gate->low));
		else
			assert_true(fabs(gate->low - 101e6) < 1 && fabs(gate->high - 106e6) < 1);
		sample_release(&sample);
	}
}

/* ---- against something ---- */

static void figures_are_held_against_another_phase(void **state)
{
	static const struct {
		const char *at_least, *at_most, *within;
		const char *want;
	} cases[] = {
		{"90%", NULL, NULL, "fleet 100.0 % PASS"},
		{"100.1%", NULL, NULL, "fleet 100.0 % FAIL"},
		{NULL, NULL, "1%", "fleet 100.0 % PASS"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[512];
		make(&sample, "p");
		add_phase(&sample, "q", 1);
		struct plan_gate *gate = add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET,
						  cases[i].at_least, cases[i].at_most);
		gate->against = mem_text("q");
		gate->within = mem_text(cases[i].within);
		gates_compute(&sample.result, &sample.series, NULL);
		describe(&sample.result, is, sizeof(is));
		assert_string_equal(is, cases[i].want);
		sample_release(&sample);
	}
}

static void what_spoils_the_other_phase_spoils_the_ratio(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "p");
	add_phase(&sample, "q", 1);
	findings_add(&sample.result, "CACHE_SERVED", NULL, &sample.result.phases[1], "h1", "t1",
		     NULL, "it is so");
	add_gate(&sample, PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST, "1%", NULL)->against =
		mem_text("q");
	gates_compute(&sample.result, &sample.series, NULL);
	assert_string_equal(sample.result.gates[0].state, "INVALID");
	assert_string_equal(sample.result.gates[1].state, "PASS");
	sample_release(&sample);
}

static void figures_are_held_against_a_baseline(void **state)
{
	static const struct {
		enum plan_metric metric;
		enum plan_of of;
		const char *want;
	} cases[] = {
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_FLEET, "fleet 90.0 % FAIL"},
		{PLAN_METRIC_THROUGHPUT, PLAN_OF_HOST,
		 "h1 100.0 % PASS, h2 100.0 % PASS, h3 100.0 % PASS, h4 60.0 % FAIL"},
		{PLAN_METRIC_P50_LATENCY, PLAN_OF_FLEET, "fleet 100.0 % PASS"},
		{PLAN_METRIC_P50_LATENCY, PLAN_OF_HOST,
		 "h1 100.0 % PASS, h2 100.0 % PASS, h3 100.0 % PASS, h4 100.0 % PASS"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample, earlier;
		char is[512];
		make(&sample, "p");
		make(&earlier, "p");
		struct result_phase *phase = &earlier.result.phases[0];
		phase->hosts[3].targets[0].bytes = 2000 * MB; /* 100 MB/s there too */
		phase->cluster->all_active_bytes_per_s = 400e6;
		add_gate(&sample, cases[i].metric, cases[i].of, NULL, NULL)->against =
			mem_text("baseline");
		sample.result.plan->gates[0].within = mem_text("5%");
		gates_compute(&sample.result, &sample.series, &earlier.result);
		describe(&sample.result, is, sizeof(is));
		if (strcmp(is, cases[i].want) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, is, cases[i].want);
		sample_release(&earlier);
		sample_release(&sample);
	}
}

static void what_cannot_be_a_baseline_is_refused_before(void **state)
{
	static const struct {
		const char *what, *want; /* in the error; NULL: it can */
	} cases[] = {
		{"nothing", NULL},
		{"warned", NULL},
		{"other phase", "has no whole phase 'p'"},
		{"block size", "asked for another block_size"},
		{"depth", "asked for another queue_depth"},
		{"invalid", "is no baseline for phase 'p': TOO_SHORT"},
		{"unsteady", "is no baseline for phase 'p': NOT_STEADY"},
		{"partial", "has no whole phase 'p'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *what = cases[i].what;
		struct sample sample, earlier;
		struct error err = {0};
		make(&sample, "p");
		make(&earlier, strcmp(what, "other phase") == 0 ? "o" : "p");
		struct result_phase *phase = &earlier.result.phases[0];
		if (strcmp(what, "block size") == 0)
			earlier.result.plan->phases[0].block_size = 4096;
		if (strcmp(what, "depth") == 0)
			earlier.result.plan->phases[0].queue_depth = 32;
		const char *code = strcmp(what, "invalid") == 0    ? "TOO_SHORT"
				   : strcmp(what, "unsteady") == 0 ? "NOT_STEADY"
				   : strcmp(what, "warned") == 0   ? "OUTLIER"
								   : NULL;
		if (code)
			findings_add(&earlier.result, code, NULL, phase, NULL, NULL, NULL, "so");
		if (strcmp(what, "partial") == 0) {
			phase->cluster_partial = phase->cluster;
			phase->cluster = NULL;
		}
		add_gate(&sample, PLAN_METRIC_IOPS, PLAN_OF_FLEET, "95%", NULL)->against =
			mem_text("baseline");
		int status = baseline_check(sample.result.plan, &earlier.result, &err);
		if (cases[i].want ? status == 0 || !strstr(err.text, cases[i].want) : status != 0)
			fail_msg("%s: %d '%s'", what, status, err.text);
		sample_release(&earlier);
		sample_release(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_metric_has_its_figure),
		cmocka_unit_test(the_mean_is_that_of_the_samples),
		cmocka_unit_test(a_long_even_phase_is_perfectly_steady),
		cmocka_unit_test(a_finding_spoils_the_figures_that_it_is_about),
		cmocka_unit_test(what_is_invalid_is_shown_and_says_why),
		cmocka_unit_test(an_invalid_host_feeds_no_total),
		cmocka_unit_test(margins_are_of_the_nearest_limit),
		cmocka_unit_test(a_percentile_lies_between_order_statistics),
		cmocka_unit_test(service_response_and_syncs_are_told_apart),
		cmocka_unit_test(a_rate_lies_between_parts_of_the_window),
		cmocka_unit_test(an_interval_has_its_figure_in_it),
		cmocka_unit_test(six_trials_have_an_interval_of_their_median),
		cmocka_unit_test(figures_are_held_against_another_phase),
		cmocka_unit_test(what_spoils_the_other_phase_spoils_the_ratio),
		cmocka_unit_test(figures_are_held_against_a_baseline),
		cmocka_unit_test(what_cannot_be_a_baseline_is_refused_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
