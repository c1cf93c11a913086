/* Members of a target held against each other: SLOW_MEMBER and MEMBER_SPREAD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "controller/analysis/layers.h"
#include "controller/analysis/window.h"
#include "tests/unit/sample_result.h"

#define MOST 8

/* A phase of 20 s on targets t1, t2, … or on t<only> alone, MB/s of each. */
static void add_phase(struct sample *sample, const char *name, const double *rates, uint32_t count,
		      uint32_t only)
{
	struct result_phase *phase = sample_phase(
		sample, name, "read", (1 + 100 * (uint64_t)sample->result.phases_count) * S, 1,
		only ? 1 : count);
	struct result_phase_host *host = &phase->hosts[0];

	for (uint32_t t = 0; t < host->targets_count; t++) {
		uint32_t which = only ? only : t + 1;
		free(host->targets[t].target);
		host->targets[t].target = mem_format("t%u", which);
		sample_load(sample, 0, t, 0, 20 * S, (uint64_t)(rates[which - 1] * 20e6), 20000);
		window_target_rates(phase, &host->targets[t]);
	}
	window_compute(phase, &sample->series.phases[sample->result.phases_count - 1], true);
	struct plan *plan = sample_plan(sample);
	struct phase *asked = &plan->phases[plan->phases_count - 1];
	for (uint32_t t = 0; t < host->targets_count; t++) {
		struct name *target = RECORD_APPEND(asked->targets, asked->targets_count);
		target->name = mem_text(host->targets[t].target);
	}
}

static void add_targets(struct sample *sample, uint32_t count, bool is_stripe)
{
	struct plan *plan = sample_plan(sample);

	for (uint32_t t = 0; t < count; t++)
		((struct target *)RECORD_APPEND(plan->targets, plan->targets_count))->name =
			mem_format("t%u", t + 1);
	for (int twice = 0; twice < 2; twice++) { /* a second target on the same says nothing new */
		struct target *whole = RECORD_APPEND(plan->targets, plan->targets_count);
		whole->name = mem_format("whole%d", twice);
		for (uint32_t t = 0; t < count; t++) {
			struct name *name =
				is_stripe ? RECORD_APPEND(whole->stripe, whole->stripe_count)
					  : RECORD_APPEND(whole->members, whole->members_count);
			name->name = mem_format("t%u", t + 1);
		}
	}
}

/* "SLOW_MEMBER t3, …" */
static void describe(const struct result *result, char *text, size_t size)
{
	text[0] = '\0';
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!strstr(finding->code, "MEMBER"))
			continue;
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", finding->code,
			 finding->target);
	}
}

static void members_are_held_against_the_median_of_the_others(void **state)
{
	static const struct {
		double rates[MOST];
		uint32_t count;
		const char *want;
	} cases[] = {
		{{100, 100, 100, 100}, 4, ""},
		{{100, 103, 98, 101}, 4, ""},
		{{100, 100, 91, 100}, 4, ""},
		{{100, 100, 89, 100}, 4, "MEMBER_SPREAD t3"},
		{{100, 100, 81, 100}, 4, "MEMBER_SPREAD t3"},
		{{100, 100, 79, 100}, 4, "SLOW_MEMBER t3"},
		{{50, 100, 100}, 3, "SLOW_MEMBER t1"},
		/* two of eight 11 % slower */
		{{180, 180, 180, 180, 180, 180, 160, 160}, 8, "MEMBER_SPREAD t7"},
		{{180, 180, 180, 180, 180, 180, 90, 90}, 8, "SLOW_MEMBER t7, SLOW_MEMBER t8"},
		/* one that is faster makes no other slow */
		{{180, 180, 180, 360}, 4, ""},
		{{50, 100}, 2, ""},
		{{0, 100, 100, 100}, 4, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int is_alone = 0; is_alone < 2; is_alone++) {
			struct sample sample = {0};
			char is[256], name[16];
			for (uint32_t t = 1; is_alone && t <= cases[i].count; t++) {
				snprintf(name, sizeof(name), "p%u", t);
				add_phase(&sample, name, cases[i].rates, cases[i].count, t);
			}
			if (!is_alone)
				add_phase(&sample, "p", cases[i].rates, cases[i].count, 0);
			add_targets(&sample, cases[i].count, i % 2);
			sample.result.min_window_ns = S;
			layers_check(&sample.result);
			describe(&sample.result, is, sizeof(is));
			if (strcmp(is, cases[i].want) != 0)
				fail_msg("case %zu, alone %d: '%s', wanted '%s'", i, is_alone, is,
					 cases[i].want);
			sample_release(&sample);
		}
}

static void what_is_no_part_of_anything_has_no_peers(void **state)
{
	static const double rates[] = {100, 100, 20, 100};
	struct sample sample = {0};

	(void)state;
	add_phase(&sample, "p", rates, 4, 0);
	struct plan *plan = sample_plan(&sample);
	for (uint32_t t = 0; t < 4; t++)
		((struct target *)RECORD_APPEND(plan->targets, plan->targets_count))->name =
			mem_format("t%u", t + 1);
	layers_check(&sample.result);
	assert_int_equal(sample.result.findings_count, 0);
	sample_release(&sample);
}

/* Run together: the one phase that there is names the slow part of the stripe's loss, too. */
static void the_slow_part_is_named_from_the_phase_that_runs_them_together(void **state)
{
	static const double rates[] = {100, 40, 100};
	static const double whole[] = {120};
	struct sample sample = {0};
	const char *loss = NULL;

	(void)state;
	add_phase(&sample, "together", rates, 3, 0);
	add_phase(&sample, "stripe", whole, 1, 0);
	struct plan *plan = sample_plan(&sample);
	free(plan->phases[1].targets[0].name);
	plan->phases[1].targets[0].name = mem_text("whole0");
	add_targets(&sample, 3, true);
	layers_check(&sample.result);
	for (uint32_t f = 0; f < sample.result.findings_count; f++)
		if (strcmp(sample.result.findings[f].code, "STRIPE_LOSS") == 0)
			loss = sample.result.findings[f].evidence;
	assert_non_null(loss);
	assert_non_null(strstr(loss, "it loses 50 %"));
	assert_non_null(strstr(loss, "slowest part, 't2'"));
	sample_release(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_held_against_the_median_of_the_others),
		cmocka_unit_test(what_is_no_part_of_anything_has_no_peers),
		cmocka_unit_test(the_slow_part_is_named_from_the_phase_that_runs_them_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
