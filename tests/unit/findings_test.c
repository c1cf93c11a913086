#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"

static void set(char **text, const char *value)
{
	free(*text);
	*text = mem_text(value);
}

/* Two hosts, one target each, 10 s together, all of it on devices; min_window 5 s. */
static struct result_phase *make(struct sample *sample, const char *op)
{
	*sample = (struct sample){0};
	struct result_phase *phase = sample_phase(sample, "p", op, S, 2, 1);
	for (uint32_t h = 0; h < 2; h++) {
		sample_load(sample, h, 0, 0, 10 * S, 1000 * MB, 1000);
		sample_device(phase, h, "sda", "t1", 1.0);
	}
	sample->result.min_window_ns = 5 * S;
	sample_plan(sample);
	return phase;
}

static void compute(struct sample *sample, bool timed)
{
	window_compute(&sample->result.phases[0], &sample->series.phases[0], timed);
	findings_compute(&sample->result, &sample->series);
}

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

static void a_clean_run_has_no_findings(void **state)
{
	static const char *const ops[] = {"read", "write", "mixed"};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (int timed = 0; timed < 2; timed++) {
			struct sample sample;
			make(&sample, ops[i]);
			compute(&sample, timed);
			assert_int_equal(sample.result.findings_count, 0);
			sample_release(&sample);
		}
}

/* What is done to the clean run, and what is found then. */
static void lose(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[1].state, "lost");
	phase->hosts[1].lost_at_ns = 4 * S;
	phase->hosts[1].text = mem_text("no heartbeat for 10 s");
}

static void lose_and_abort(struct sample *sample, struct result_phase *phase)
{
	lose(sample, phase);
	set(&phase->hosts[0].state, "aborted");
}

static void break_first(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[0].state, "broken");
	phase->hosts[0].text = mem_text("disk full");
}

static void refuse_later(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[0].state, "refused");
}

static void refuse_at_once(struct sample *sample, struct result_phase *phase)
{
	set(&phase->hosts[0].state, "refused");
	sample->result.outcome = mem_text("REFUSED");
}

static void refuse_beside_another(struct sample *sample, struct result_phase *phase)
{
	refuse_at_once(sample, phase);
	set(&phase->hosts[1].state, "aborted");
}

static void fall_silent_and_lose(struct sample *sample, struct result_phase *phase)
{
	phase->hosts[1].silence_ns = 9 * S;
	lose(sample, phase);
}

static void fall_silent(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].silence_ns = 4 * S;
}

static void freeze(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].silence_ns = 4 * S;
	phase->hosts[0].frozen_ns = 4 * S;
}

/* A second and a half, which is more than 2 % of ten. */
static void pause(struct sample *sample, struct result_phase *phase)
{
	struct result_host *host = RECORD_APPEND(sample->result.hosts, sample->result.hosts_count);
	struct result_disruption *gap =
		RECORD_APPEND(host->clock.disruptions, host->clock.disruptions_count);

	host->host = mem_text("h1");
	*gap = (struct result_disruption){.kind = mem_text("gap"),
					  .from_ns = phase->start_ns + 3 * S,
					  .to_ns = phase->start_ns + 3 * S + 1500 * NS_PER_MS,
					  .amount_ns = 1500 * NS_PER_MS};
}

static void pause_briefly(struct sample *sample, struct result_phase *phase)
{
	pause(sample, phase);
	sample->result.hosts[0].clock.disruptions[0].amount_ns = 900 * NS_PER_MS;
}

static void drop_disruptions(struct sample *sample, struct result_phase *phase)
{
	pause_briefly(sample, phase);
	sample->result.hosts[0].clock.disruptions_dropped = 7;
}

/* Of which a tenth of a second, 1 % of the time, is the phase's. */
static void pause_at_the_edge(struct sample *sample, struct result_phase *phase)
{
	pause(sample, phase);
	sample->result.hosts[0].clock.disruptions[0].from_ns = phase->start_ns - 900 * NS_PER_MS;
	sample->result.hosts[0].clock.disruptions[0].to_ns = phase->start_ns + 100 * NS_PER_MS;
}

static void pause_before(struct sample *sample, struct result_phase *phase)
{
	pause(sample, phase);
	sample->result.hosts[0].clock.disruptions[0].from_ns = phase->start_ns - S / 2;
	sample->result.hosts[0].clock.disruptions[0].to_ns = phase->start_ns;
}

static void fail_some(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[1].targets[0].errors = 3;
	phase->hosts[1].targets[0].first_error = mem_text("input/output error at 4096");
}

static void read_wrong_data(struct sample *sample, struct result_phase *phase)
{
	struct miscompares *m = &phase->hosts[1].targets[0].miscompares;

	(void)sample;
	m->verified_bytes = MB;
	m->blocks = 3;
	m->stale = 1;
	m->zeros = 2;
	m->first = mem_text("block of 4096 bytes at offset 8192");
}

static void want_longer(struct sample *sample, struct result_phase *phase)
{
	(void)phase;
	sample->result.min_window_ns = 11 * S;
}

static void start_late(struct sample *sample, struct result_phase *phase)
{
	free(sample->series.phases[0].series[1][0].buckets);
	phase->hosts[1].targets[0].bytes = phase->hosts[1].targets[0].operations = 0;
	sample_load(sample, 1, 0, 4500 * NS_PER_MS, 11 * S, 1000 * MB, 1000);
}

/* One whole bucket of 2.8 s, all of them together. */
static void be_short(struct sample *sample, struct result_phase *phase)
{
	for (uint32_t h = 0; h < 2; h++) {
		free(sample->series.phases[0].series[h][0].buckets);
		phase->hosts[h].targets[0].bytes = phase->hosts[h].targets[0].operations = 0;
		sample_load(sample, h, 0, 100 * NS_PER_MS, 2900 * NS_PER_MS, 280 * MB, 280);
	}
	sample->result.min_window_ns = S;
}

static void do_nothing(struct sample *sample, struct result_phase *phase)
{
	struct result_target *target = &phase->hosts[1].targets[0];

	(void)sample;
	target->bytes = target->operations = target->first_io_ns = target->last_io_ns = 0;
}

static void serve_from_cache(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].devices[0].share = 0.94;
}

static void serve_from_wanted_cache(struct sample *sample, struct result_phase *phase)
{
	sample->result.plan->phases[0].cache = PHASE_CACHE_ALLOWED;
	phase->hosts[0].devices[0].share = 0.1;
}

static void share_at_the_edge(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].devices[0].share = 0.95;
	phase->hosts[1].devices[0].share = 1.10;
}

static void move_more(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].devices[0].share = 1.11;
}

static void know_no_share(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].devices[0].share = NAN;
}

static void know_no_device(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[0].devices[0].targets[0].name, "other");
}

static void use_null(struct sample *sample, struct result_phase *phase)
{
	know_no_device(sample, phase);
	set(&phase->hosts[0].targets[0].io, "none");
}

static void buffer(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[0].targets[0].io, "buffered");
}

static void write_through(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	set(&phase->hosts[0].targets[0].io, "written through");
}

static void use_ram(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].targets[0].ram = true;
}

static void be_insecure(struct sample *sample, struct result_phase *phase)
{
	struct result_host *host = RECORD_APPEND(sample->result.hosts, sample->result.hosts_count);

	(void)phase;
	host->host = mem_text("h1");
	host->insecure = true;
}

static void note(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	for (uint32_t i = 0; i < 2; i++) {
		struct name *one =
			RECORD_APPEND(phase->hosts[0].notes, phase->hosts[0].notes_count);
		one->name = mem_text("the device is in use: mounted on /test");
	}
}

static void refuse_by_name(struct sample *sample, struct result_phase *phase)
{
	refuse_at_once(sample, phase);
	phase->hosts[0].code = mem_text("TARGET_IN_USE");
}

static void refuse_by_a_name_of_another_build(struct sample *sample, struct result_phase *phase)
{
	refuse_later(sample, phase);
	phase->hosts[0].code = mem_text("NO_SUCH_CODE");
}

static void fill_the_disk(struct sample *sample, struct result_phase *phase)
{
	break_first(sample, phase);
	phase->hosts[0].code = mem_text("DISK_FULL");
}

static void hide_its_device(struct sample *sample, struct result_phase *phase)
{
	(void)sample;
	phase->hosts[0].targets[0].no_topology = true;
}

static void each_fact_is_found_and_nothing_else(void **state)
{
	static const struct {
		void (*change)(struct sample *sample, struct result_phase *phase);
		const char *op;
		bool fixed; /* amount */
		const char *want;
	} cases[] = {
		{lose, "read", false, "INVALID HOST_LOST h2"},
		{lose_and_abort, "read", false, "INVALID HOST_LOST h2, INVALID HOST_STOPPED h1"},
		{break_first, "write", false, "INVALID HOST_BROKEN h1"},
		{refuse_later, "write", false, "INVALID HOST_REFUSED h1"},
		{refuse_at_once, "write", false, "REFUSE HOST_REFUSED h1"},
		{refuse_beside_another, "write", false, "REFUSE HOST_REFUSED h1"},
		{refuse_by_name, "write", false, "REFUSE TARGET_IN_USE h1"},
		{refuse_by_a_name_of_another_build, "write", false, "INVALID HOST_REFUSED h1"},
		{fill_the_disk, "write", false, "INVALID DISK_FULL h1, NOTE PARTIAL h1"},
		{hide_its_device, "read", false, "NOTE TOPOLOGY_UNKNOWN h1"},
		{fall_silent_and_lose, "read", false, "INVALID HOST_LOST h2"},
		{fall_silent, "read", false, "WARN LATE_HEARTBEAT h1"},
		{freeze, "read", false, "INVALID HOST_FROZEN h1"},
		{pause, "read", false, "INVALID HOST_FROZEN h1"},
		{pause_briefly, "read", false, ""},
		{drop_disruptions, "read", false, "NOTE AGENT_NOTE h1"},
		{pause_at_the_edge, "read", false, "WARN HOST_FROZEN h1"},
		{pause_before, "read", false, ""},
		{fail_some, "read", false, "INVALID IO_ERRORS h2"},
		{read_wrong_data, "read", false, "INVALID MISCOMPARE h2"},
		{want_longer, "read", false, "INVALID TOO_SHORT"},
		{want_longer, "read", true, "INVALID TOO_SHORT"},
		{start_late, "read", false, "INVALID OVERLAP_TOO_SMALL"},
		{start_late, "read", true, "WARN SUM_OF_AVERAGES_GAP"},
		{be_short, "trim", false, ""},
		{do_nothing, "read", true, "INVALID NO_IO h2"},
		{do_nothing, "read", false,
		 "INVALID TOO_SHORT, INVALID OVERLAP_TOO_SMALL, INVALID NO_IO h2"},
		{serve_from_cache, "read", false, "INVALID CACHE_SERVED h1"},
		{serve_from_cache, "mixed", false, "INVALID CACHE_SERVED h1"},
		{serve_from_cache, "write", false, "WARN WRITE_NOT_ON_DEVICE h1"},
		{serve_from_wanted_cache, "read", false, "NOTE CACHE_SERVED h1"},
		{share_at_the_edge, "read", false, ""},
		{move_more, "read", false, "WARN DEVICE_MOVED_MORE h1"},
		{know_no_share, "read", false, ""},
		{know_no_device, "read", false, "NOTE NO_DEVICE_COUNTERS h1"},
		{use_null, "read", false, ""},
		{buffer, "read", false, "WARN BUFFERED_PHASE h1"},
		{write_through, "write", false, "NOTE WRITTEN_THROUGH h1"},
		{use_ram, "read", false, "WARN RAM_TARGET h1"},
		{be_insecure, "read", false, "NOTE INSECURE h1"},
		{note, "read", false, "NOTE AGENT_NOTE h1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample sample;
		char is[512];
		struct result_phase *phase = make(&sample, cases[i].op);
		cases[i].change(&sample, phase);
		compute(&sample, !cases[i].fixed);
		describe(&sample.result, is, sizeof(is));
		if (strcmp(is, cases[i].want) != 0)
			fail_msg("case %zu: found '%s', wanted '%s'", i, is, cases[i].want);
		sample_release(&sample);
	}
}

static void a_lost_host_is_named_with_the_moment(void **state)
{
	struct sample sample;

	(void)state;
	lose(&sample, make(&sample, "read"));
	compute(&sample, true);
	const struct result_finding *finding = &sample.result.findings[0];
	assert_string_equal(finding->evidence, "the host was lost 3.000 s into the phase, 4.000 s "
					       "into the run: no heartbeat for 10 s");
	char *place = findings_place(finding);
	assert_string_equal(place, "phase 'p', host 'h2'");
	free(place);
	sample_release(&sample);
}

static void the_same_note_is_told_once_a_host(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, "read");
	sample_phase(&sample, "q", "read", 20 * S, 2, 0);
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t h = 0; h < 2; h++) {
			struct result_phase_host *host = &sample.result.phases[p].hosts[h];
			struct name *one = RECORD_APPEND(host->notes, host->notes_count);
			one->name = mem_text("the device is in use");
		}
	compute(&sample, true);
	assert_int_equal(sample.result.findings_count, 2);
	sample_release(&sample);
}

static void evidence_that_is_cut_is_still_text(void **state)
{
	struct sample sample = {0};
	char text[4096];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 1; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "ä", 2);
	text[sizeof(text) - 1] = '\0';
	findings_add(&sample.result, "AGENT_NOTE", "NOTE", NULL, NULL, NULL, NULL, "%s", text);
	const char *evidence = sample.result.findings[0].evidence;
	assert_int_equal(strlen(evidence) % 2, 1); /* x and whole characters of two bytes */
	sample_release(&sample);
}

static void a_rate_that_was_not_reached_is_a_warning(void **state)
{
	static const struct {
		uint64_t bytes, operations; /* that were asked for of each target, a second */
		const char *want;
	} cases[] = {
		{0, 0, ""},
		{0, 100, ""},
		{0, 104, ""},
		{0, 110, "WARN RATE_NOT_REACHED h1, WARN RATE_NOT_REACHED h2"},
		{100 * MB, 0, ""},
		{110 * MB, 0, "WARN RATE_NOT_REACHED h1, WARN RATE_NOT_REACHED h2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		struct sample sample;
		struct result_phase *phase = make(&sample, "read");
		for (uint32_t h = 0; h < 2; h++) {
			phase->hosts[h].targets[0].throughput_bytes_per_s = 100e6;
			phase->hosts[h].targets[0].iops = 100;
		}
		struct phase *asked = &sample_plan(&sample)->phases[0];
		asked->rate_bytes = cases[i].bytes;
		asked->rate_operations = cases[i].operations;
		asked->rate = mem_text("as written");
		compute(&sample, true);
		describe(&sample.result, text, sizeof(text));
		assert_string_equal(text, cases[i].want);
		sample_release(&sample);
	}
}

/* It takes as long as it takes, and is no measurement. */
static void a_short_fill_is_no_finding(void **state)
{
	(void)state;
	struct sample sample;
	struct result_phase *phase = make(&sample, "write");
	char text[512];
	sample.result.min_window_ns = 60 * S;
	set(&phase->op, "fill");
	struct phase *asked = sample_plan(&sample)->phases;
	asked->op = PHASE_OP_FILL;
	asked->passes = 2;
	compute(&sample, false);
	describe(&sample.result, text, sizeof(text));
	assert_string_equal(text, "");
	sample_release(&sample);
}

/* A burst in the part bucket at the beginning is no reason to say that hosts did not overlap. */
static void a_gap_by_the_edge_is_said_to_be_one(void **state)
{
	struct sample sample;
	struct result_phase *phase = make(&sample, "read");

	(void)state;
	for (uint32_t h = 0; h < 2; h++) {
		struct result_target *target = &phase->hosts[h].targets[0];
		target->first_io_ns += S / 2;
		sample.series.phases[0].series[h][0].buckets[0].bytes_read += 300 * MB;
		target->bytes += 300 * MB;
	}
	compute(&sample, true);
	assert_int_equal(sample.result.findings_count, 1);
	const struct result_finding *found = &sample.result.findings[0];
	assert_string_equal(found->code, "SUM_OF_AVERAGES_GAP");
	assert_string_equal(found->level, "WARN");
	assert_non_null(strstr(found->evidence, "so the hosts did overlap"));
	assert_non_null(strstr(found->advice, "set ramp"));
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_run_has_no_findings),
		cmocka_unit_test(each_fact_is_found_and_nothing_else),
		cmocka_unit_test(a_gap_by_the_edge_is_said_to_be_one),
		cmocka_unit_test(a_lost_host_is_named_with_the_moment),
		cmocka_unit_test(the_same_note_is_told_once_a_host),
		cmocka_unit_test(evidence_that_is_cut_is_still_text),
		cmocka_unit_test(a_rate_that_was_not_reached_is_a_warning),
		cmocka_unit_test(a_short_fill_is_no_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
