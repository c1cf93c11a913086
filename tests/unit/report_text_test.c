/* The text report, held against tests/golden/report.txt to the letter. After a wanted change:
 *
 *     MUSTER_GOLDEN=write build/report_text_test
 *
 * writes the file anew; read the difference before you commit it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/group.h"
#include "controller/analysis/window.h"
#include "controller/report/layout.h"
#include "controller/report/report.h"
#include "tests/unit/sample_result.h"

#define GOLDEN TEST_DATA "/golden/report.txt"

static void add_host(struct result *result, const char *name, const char *os, const char *kernel,
		     const char *fs, int64_t offset_ns)
{
	struct result_host *host = RECORD_APPEND(result->hosts, result->hosts_count);

	*host = (struct result_host){
		.host = mem_text(name),
		.os = mem_text(os),
		.kernel = mem_text(kernel),
		.cpus = 8,
		.memory_bytes = UINT64_C(64) << 30,
		.uptime_s = 400000,
		.clock = {.known = true,
			  .offset_ns = offset_ns,
			  .bound_ns = 480,
			  .drift_ppb = 1234,
			  .drift_lo_ppb = 1000,
			  .drift_hi_ppb = 1500,
			  .stamp = mem_text("kernel"),
			  .exchanges = 16,
			  .rtt_p50_ns = 350,
			  .rtt_p99_ns = 4000},
	};
	struct plan_label *label = RECORD_APPEND(host->labels, host->labels_count);
	label->name = mem_text("fs");
	label->value = mem_text(fs);
}

static void add_latency(struct sample *sample, uint32_t h, uint32_t t, uint64_t ns, int count)
{
	uint32_t p = sample->result.phases_count - 1;
	struct histogram *histogram = &sample->series.phases[p].latency[h][t];

	for (int i = 0; i < count; i++)
		histogram_add(histogram, ns + (uint64_t)i * ns / 1000);
	sample->result.phases[p].hosts[h].targets[t].latency_ns = window_latency(histogram);
}

/* A write of both hosts with ramp and sync, one of them a stripe over two disks. */
static void add_write(struct sample *sample)
{
	struct result_phase *phase = sample_phase(sample, "write", "write", 2 * S, 2, 1);

	phase->ramp_ns = 2 * S;
	phase->start_skew_ns = 123456;
	phase->start_skew_bound_ns = 96000;
	for (uint32_t h = 0; h < 2; h++) {
		struct result_target *target = &phase->hosts[h].targets[0];
		sample_load(sample, h, 0, 5 * NS_PER_MS, (12 + h) * S, (8000 + 4000 * h) * MB,
			    8000 + 4000 * h);
		add_latency(sample, h, 0, (1 + h) * NS_PER_MS, 5000);
		target->sync_ns = 750 * NS_PER_MS;
		target->passes = 2;
		window_target_rates(phase, target);
	}
	free(phase->hosts[1].targets[0].io);
	phase->hosts[1].targets[0].io = mem_text("written through");
	phase->hosts[1].targets[0].file_system = mem_text("btrfs");
	sample_device(phase, 0, "md0", "t1", 1.0021)->bytes_written = 8017 * MB;
	struct result_device *part = sample_device(phase, 0, "sda", "t1", NAN);
	part->under = mem_text("md0");
	part->bytes_written = 4008 * MB;
	sample_device(phase, 1, "loop0", "t1", 0.997)->bytes_written = 5982 * MB;
	sample_device(phase, 1, "loop1", "t1", 0.997)->bytes_written = 5982 * MB;
}

/* A read in which the second host is lost after 3 s, and the first has errors. */
static void add_read(struct sample *sample)
{
	struct result_phase *phase = sample_phase(sample, "read", "read", 20 * S, 2, 2);

	sample_load(sample, 0, 0, 0, 10 * S, 9000 * MB, 9000);
	sample_load(sample, 0, 1, 4 * S, 10 * S, 300 * MB, 300);
	sample_load(sample, 1, 0, 0, 3 * S, 3300 * MB, 3300);
	add_latency(sample, 0, 0, 800000, 9000);
	add_latency(sample, 0, 1, 20 * NS_PER_MS, 300);
	phase->hosts[0].targets[1].errors = 2;
	phase->hosts[0].targets[1].first_error = mem_text("read of 65536 bytes at 1048576: "
							  "input/output error");
	phase->hosts[1].targets[0].last_io_ns = phase->hosts[1].targets[0].first_io_ns = 0;
	for (uint32_t t = 0; t < 2; t++)
		window_target_rates(phase, &phase->hosts[0].targets[t]);
	free(phase->hosts[1].state);
	phase->hosts[1].state = mem_text("lost");
	phase->hosts[1].text = mem_text("no heartbeat for 10 s; its address still answers, so the "
					"agent is gone");
	phase->hosts[1].lost_at_ns = 33 * S;
	sample_device(phase, 0, "sda", "t1", 0.3)->bytes_read = 2700 * MB;
}

static void add_gate(struct plan *plan, const char *phase, enum plan_of of, const char *at_least)
{
	struct plan_gate *gate = RECORD_APPEND(plan->gates, plan->gates_count);

	gate->phase = mem_text(phase);
	gate->of = of;
	gate->at_least = mem_text(at_least);
}

static void make(struct sample *sample)
{
	*sample = (struct sample){0};
	struct result *result = &sample->result;
	result->run = mem_text("20261130-191502-3fa9");
	result->started_at = mem_text("2026-11-30T19:15:02Z");
	result->version = mem_text("0.1.0");
	result->min_window_ns = 5 * S;
	add_host(result, "h1", "Linux", "6.1.0-18-amd64", "xfs", 12345);
	add_host(result, "h2", "FreeBSD", "14.1-RELEASE-p5", "ufs", -INT64_C(86400123456789));
	add_write(sample);
	add_read(sample);
	struct plan *plan = sample_plan(sample);
	plan->phases[0].ramp = 2 * S;
	plan->phases[0].workers = 4;
	plan->phases[1].allow_ram = true;
	plan->phases[1].access = PHASE_ACCESS_RANDOM;
	plan->phases[1].block_size = 4096;
	plan->phases[1].size = mem_text("2x ram");
	add_gate(plan, "write", PLAN_OF_HOST, "700 MB/s");
	add_gate(plan, "write", PLAN_OF_FLEET, "1500 MiB/s");
	add_gate(plan, "read", PLAN_OF_FLEET, "1 GB/s");
	for (uint32_t p = 0; p < result->phases_count; p++)
		window_compute(&result->phases[p], &sample->series.phases[p], true);
	findings_compute(result, &sample->series);
	gates_compute(result, &sample->series, NULL);
	group_withhold(result, &sample->series);
	gates_outcome(result);
}

static char *print(const struct sample *sample, const char *directory)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	report_text(&sample->result, &sample->series, directory, file);
	fclose(file);
	return text;
}

static char *read_golden(void)
{
	FILE *file = fopen(GOLDEN, "r");
	char *text = mem_new(1 << 16, 1);

	if (!file)
		fail_msg("cannot read " GOLDEN);
	text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void write_golden(const char *text)
{
	FILE *file = fopen(GOLDEN, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void the_report_is_the_golden_one_to_the_letter(void **state)
{
	const char *wanted = getenv("MUSTER_GOLDEN");
	struct sample sample;

	(void)state;
	make(&sample);
	char *text = print(&sample, "muster-runs/20261130-191502-3fa9");
	if (wanted && strcmp(wanted, "write") == 0)
		write_golden(text);
	char *golden = read_golden();
	if (strcmp(text, golden) != 0) {
		fputs(text, stderr);
		fail_msg("the report above is not " GOLDEN);
	}
	free(golden);
	free(text);
	sample_release(&sample);
}

/* Characters of the longest line. */
static size_t widest(const char *text)
{
	size_t most = 0, width = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + (((unsigned char)*text & 0xc0) != 0x80);
		if (width > most)
			most = width;
	}
	return most;
}

static void long_names_do_not_make_lines_longer_than_100(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample);
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t h = 0; h < 2; h++) {
			struct result_phase_host *host = &sample.result.phases[p].hosts[h];
			free(host->host);
			host->host = mem_text("storage-node-0017.rack-12.datacenter.example.org");
			free(host->targets[0].target);
			host->targets[0].target = mem_text("ünïcode-target-with-a-längthy-name-x");
			host->targets[0].latency_ns.p50 = 123.4e9;
		}
	char *text = print(&sample, NULL);
	assert_true(widest(text) <= LAYOUT_WIDTH);
	assert_non_null(strstr(text, "…"));
	free(text);
	sample_release(&sample);
}

static void what_a_terminal_would_obey_is_not_printed(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"plain", "plain"},
		{"größe", "größe"},
		{"a\x1b[2Jb", "a?[2Jb"},
		{"a\nb\tc\x7f", "a?b?c?"},
		{"a\xc2\x9b"
		 "b",
		 "a?b"},
		{"a\xe2\x80\xae"
		 "b\xe2\x81\xa6",
		 "a?b?"},
		{"a\x80\x80z", "a??z"},
		{"\xff\xc3", "??"},
		{"…", "…"},
		{"", ""},
		{NULL, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *clean = layout_clean(cases[i].text);
		assert_string_equal(clean, cases[i].want);
		free(clean);
	}
}

static void a_result_without_phases_or_plan_is_printed(void **state)
{
	struct sample sample = {0};

	(void)state;
	sample.result.outcome = mem_text("REFUSED");
	sample.result.reason = mem_text("host 'h1': no");
	char *text = print(&sample, NULL);
	assert_non_null(strstr(text, "Outcome: REFUSED, exit 5: host 'h1': no\n"));
	assert_non_null(strstr(text, "Results: not written: exit 6, whatever the outcome\n"));
	free(text);
	sample_release(&sample);
}

static void a_phase_that_was_not_begun_has_no_figures(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "write", 0, 2, 1);
	for (uint32_t h = 0; h < 2; h++) {
		free(phase->hosts[h].state);
		phase->hosts[h].state = mem_text(h ? "refused" : "aborted");
		phase->hosts[h].text = mem_text(h ? "no space" : "the phase was not run");
	}
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, "d");
	assert_non_null(strstr(text, "  host 'h2' refused: no space\n\n"));
	assert_null(strstr(text, "IOPS"));
	assert_null(strstr(text, "began 0"));
	free(text);
	sample_release(&sample);
}

static void the_summary_strikes_through_what_is_invalid_and_names_the_worst_finding(void **state)
{
	static const char *const levels[] = {"NOTE", "WARN", "INVALID", "WARN"};
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 2, 1);
	sample_load(&sample, 0, 0, 0, 10 * S, 20000 * MB, 20000);
	sample_load(&sample, 1, 0, 0, 10 * S, 10000 * MB, 10000);
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, "d");
	assert_non_null(strstr(text, "Summary\n"
				     "  phase  op         fleet  IOPS  slowest host\n"
				     "  p      read  2.79 GiB/s  3000  h2 954 MiB/s\n\n"));
	free(text);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct result_finding *finding =
			RECORD_APPEND(sample.result.findings, sample.result.findings_count);
		*finding = (struct result_finding){.level = mem_text(levels[i]),
						   .code = mem_format("CODE_%zu", i),
						   .phase = mem_text("p"),
						   .trial = phase->trial,
						   .evidence = mem_text("so")};
	}
	text = print(&sample, "d");
	assert_non_null(strstr(
		text, "  p      read  ~~2.79 GiB/s~~  ~~3000~~  h2 954 MiB/s  CODE_2, +2\n"));
	free(text);
	sample_release(&sample);
}

/* All that stands beneath an INVALID phase's cluster, not its rates alone. */
static void the_latencies_of_an_invalid_phase_are_struck_through(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	sample_load(&sample, 0, 0, 0, 10 * S, 10000 * MB, 10000);
	add_latency(&sample, 0, 0, NS_PER_MS, 10000);
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, "d");
	assert_non_null(strstr(text, "\n  1000 IOPS; latency p50 "));
	free(text);
	struct result_finding *finding =
		RECORD_APPEND(sample.result.findings, sample.result.findings_count);
	*finding = (struct result_finding){.level = mem_text("INVALID"),
					   .code = mem_text("CODE"),
					   .phase = mem_text("p"),
					   .trial = phase->trial,
					   .evidence = mem_text("so")};
	text = print(&sample, "d");
	char *line = strstr(text, "\n  ~~1000 IOPS; latency p50 ");
	assert_non_null(line);
	*strchr(line + 1, '\n') = '\0';
	assert_string_equal(line + strlen(line) - 2, "~~");
	free(text);
	sample_release(&sample);
}

static void add_result_gate(struct result *result, const char *metric, const char *limit,
			    double margin)
{
	struct result_gate *gate = RECORD_APPEND(result->gates, result->gates_count);

	*gate = (struct result_gate){.phase = mem_text("a-phase-of-a-longer-name"),
				     .metric = mem_text(metric),
				     .who = mem_text("storage-node-0017.rack-12"),
				     .trial = 1,
				     .limit = mem_text(limit),
				     .value = 123.4e6,
				     .low = 123.3e6,
				     .high = 123.5e6,
				     .margin = margin,
				     .state = mem_text("INCONCLUSIVE")};
}

/* MB or MiB, of which phase, and which metric: a gate whose words are cut is another gate. */
static void gates_are_printed_whole(void **state)
{
	struct sample sample = {0};

	(void)state;
	add_result_gate(&sample.result, "p99_sync_latency", "at_least 1000.25 MiB/s", 3);
	add_result_gate(&sample.result, "throughput", "within 10% of phase prefill", -499);
	char *text = print(&sample, "d");
	assert_true(widest(text) <= LAYOUT_WIDTH);
	static const char *const words[] = {
		"p99_sync_latency", "at_least", "1000.25",  " MiB/s",
		"within",           "10%",      " of ",     "phase",
		"prefill",          "[123.3,",  "+300.0 %", "< -1000 %"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strstr(text, words[i]))
			fail_msg("'%s' is not in:\n%s", words[i], text);
	free(text);
	sample_release(&sample);
}

/* A timed phase of less than two buckets has no window, and so no IOPS of it. */
static void what_was_not_measured_is_not_printed_as_zero(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	sample_load(&sample, 0, 0, 0, 50 * NS_PER_MS, 100 * MB, 100);
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, "d");
	assert_null(strstr(text, "0 IOPS"));
	free(text);
	sample_release(&sample);
}

static void the_ramp_stands_apart_in_the_timeline(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	phase->ramp_ns = 500 * NS_PER_MS;
	sample_load(&sample, 0, 0, 0, S, 8000 * MB, 1000);
	static const uint64_t eighths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0};
	for (uint32_t b = 0; b < 10; b++)
		sample.series.phases[0].series[0][0].buckets[b].bytes_read = eighths[b] << 17;
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, NULL);
	assert_non_null(strstr(text, "timeline: a column is 100 ms, a full block 10.0 MiB/s; "
				     "the ramp stands before the bar\n"));
	assert_non_null(strstr(text, "\n  .▂▃▄▅|▆▇██.\n"));
	free(text);
	sample_release(&sample);
}

static void a_long_timeline_is_80_wide_with_whole_buckets_a_column(void **state)
{
	struct sample sample = {0};

	(void)state;
	struct result_phase *phase = sample_phase(&sample, "p", "read", S, 1, 1);
	phase->ramp_ns = 2 * S;
	sample_load(&sample, 0, 0, 0, 60 * S, 6000 * MB, 6000);
	window_compute(phase, &sample.series.phases[0], true);
	char *text = print(&sample, NULL);
	/* 20 + 580 buckets: 8 a column make 3 + 73 of 79, 7 would make 3 + 83. */
	char *line = strstr(text, "a column is 800 ms");
	assert_non_null(line);
	line = strchr(line, '\n') + 1;
	*strchr(line, '\n') = '\0';
	assert_int_equal(widest(line), 2 + 3 + 1 + 73);
	free(text);
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_is_the_golden_one_to_the_letter),
		cmocka_unit_test(long_names_do_not_make_lines_longer_than_100),
		cmocka_unit_test(what_a_terminal_would_obey_is_not_printed),
		cmocka_unit_test(a_result_without_phases_or_plan_is_printed),
		cmocka_unit_test(a_phase_that_was_not_begun_has_no_figures),
		cmocka_unit_test(
			the_summary_strikes_through_what_is_invalid_and_names_the_worst_finding),
		cmocka_unit_test(what_was_not_measured_is_not_printed_as_zero),
		cmocka_unit_test(the_latencies_of_an_invalid_phase_are_struck_through),
		cmocka_unit_test(gates_are_printed_whole),
		cmocka_unit_test(the_ramp_stands_apart_in_the_timeline),
		cmocka_unit_test(a_long_timeline_is_80_wide_with_whole_buckets_a_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
