#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/clock_findings.h"
#include "tests/unit/sample_result.h"

/* Two hosts from 10 s to 12 s into the run. */
static struct result_phase *make(struct sample *sample)
{
	*sample = (struct sample){0};
	struct result_phase *phase = sample_phase(sample, "write", "write", 10 * NS_PER_S, 2, 1);
	for (uint32_t h = 0; h < 2; h++) {
		struct result_host *host =
			RECORD_APPEND(sample->result.hosts, sample->result.hosts_count);
		host->host = mem_text(phase->hosts[h].host);
		struct result_worker *worker =
			RECORD_APPEND(phase->hosts[h].workers, phase->hosts[h].workers_count);
		worker->target = mem_text("t1");
		worker->first_submit_ns = 10 * NS_PER_S + 1000;
		worker->last_completion_ns = 12 * NS_PER_S;
	}
	return phase;
}

static const struct result_finding *only(const struct sample *sample)
{
	assert_int_equal(sample->result.findings_count, 1);
	return &sample->result.findings[0];
}

static void a_step_makes_the_phases_that_it_touches_invalid(void **state)
{
	(void)state;
	static const struct {
		const char *kind;
		uint64_t from_s, to_s;
		bool found;
	} rows[] = {
		{"cut", 11, 11, true},   {"suspend", 9, 10, true}, {"cut", 12, 13, true},
		{"cut", 8, 9, false},    {"cut", 13, 14, false},   {"gap", 11, 11, false},
		{"step", 11, 11, false}, /* the wall clock: nothing is stamped with it */
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample;
		make(&sample);
		struct result_clock *clock = &sample.result.hosts[1].clock;
		struct result_disruption *step =
			RECORD_APPEND(clock->disruptions, clock->disruptions_count);
		*step = (struct result_disruption){.kind = mem_text(rows[i].kind),
						   .from_ns = rows[i].from_s * NS_PER_S,
						   .to_ns = rows[i].to_s * NS_PER_S,
						   .amount_ns = 10 * (int64_t)NS_PER_MS};
		clock_findings_compute(&sample.result);
		assert_int_equal(sample.result.findings_count, rows[i].found);
		if (rows[i].found) {
			assert_string_equal(only(&sample)->code, strcmp(rows[i].kind, "cut") == 0
									 ? "CLOCK_STEP"
									 : "SUSPEND_DETECTED");
			assert_string_equal(only(&sample)->level, "INVALID");
			assert_string_equal(only(&sample)->host, "h2");
			assert_non_null(strstr(only(&sample)->evidence, "10.00 ms"));
		}
		sample_release(&sample);
	}
}

static void a_bound_wider_than_a_bucket_is_invalid(void **state)
{
	(void)state;
	static const struct {
		uint64_t bound_ns;
		bool found;
	} rows[] = {{100 * NS_PER_MS, false}, {100 * NS_PER_MS + 1, true}, {UINT64_MAX, true}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample;
		make(&sample)->hosts[0].edges.bound_ns = rows[i].bound_ns;
		clock_findings_compute(&sample.result);
		assert_int_equal(sample.result.findings_count, rows[i].found);
		if (rows[i].found)
			assert_string_equal(only(&sample)->code, "CLOCK_UNCERTAIN");
		sample_release(&sample);
	}
}

static void a_skew_counts_only_against_a_limit_and_names_the_latest(void **state)
{
	(void)state;
	static const struct {
		uint64_t limit_ns;
		bool found;
	} rows[] = {{0, false}, {2 * NS_PER_MS, false}, {2 * NS_PER_MS - 1, true}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample sample;
		struct plan plan = {.max_start_skew = rows[i].limit_ns};
		struct result_phase *phase = make(&sample);
		phase->start_skew_ns = 2 * NS_PER_MS;
		struct result_late *late = RECORD_APPEND(phase->late, phase->late_count);
		*late = (struct result_late){
			.host = mem_text("h2"), .target = mem_text("t1"), .late_ns = 2 * NS_PER_MS};
		struct plan *own = sample.result.plan;
		sample.result.plan = &plan;
		clock_findings_compute(&sample.result);
		sample.result.plan = own;
		assert_int_equal(sample.result.findings_count, rows[i].found);
		if (rows[i].found) {
			assert_string_equal(only(&sample)->code, "START_SKEW");
			assert_string_equal(only(&sample)->host, "h2");
		}
		sample_release(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_makes_the_phases_that_it_touches_invalid),
		cmocka_unit_test(a_bound_wider_than_a_bucket_is_invalid),
		cmocka_unit_test(a_skew_counts_only_against_a_limit_and_names_the_latest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
