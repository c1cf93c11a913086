/* Over trials: what they come to together, and one phase's against another's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "common/text.h"
#include "controller/analysis/comparisons.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/repeats.h"
#include "tests/unit/sample_result.h"
#include "tests/unit/seeded.h"

/* A trial of a phase of the fleet, as if it had been measured. */
static void add_trial(struct result *result, const char *name, double bytes_per_s)
{
	struct result_phase *phase = RECORD_APPEND(result->phases, result->phases_count);
	struct result_cluster *cluster = phase->cluster = mem_new(1, sizeof(*cluster));

	phase->name = mem_text(name);
	phase->op = mem_text("read");
	phase->start_ns = result->phases_count * S;
	phase->bucket_ns = 100 * NS_PER_MS;
	for (uint32_t p = 0; p < result->phases_count; p++)
		phase->trial += text_is(result->phases[p].name, name);
	cluster->headline = mem_text("all_active");
	cluster->all_active_bytes_per_s = bytes_per_s;
	cluster->iops = NAN;
	cluster->latency_ns = (struct result_latency){NAN, NAN, NAN, NAN, NAN, 0};
}

static const char *codes(const struct result *result, char text[256])
{
	text[0] = '\0';
	for (uint32_t f = 0; f < result->findings_count; f++)
		snprintf(text + strlen(text), 256 - strlen(text), "%s%s", f ? " " : "",
			 result->findings[f].code);
	return text;
}

static void trials_are_of_one_kind_or_not(void **state)
{
	static const struct {
		const char *what;
		double values[16];
		const char *wanted;
	} rows[] = {
		{"one trial", {800}, ""},
		{"alike", {800, 805, 798, 802, 799, 801}, ""},
		{"9 % apart", {800, 870, 805, 800}, ""},
		{"11 % apart", {800, 890, 805, 800}, "TRIALS_SPREAD"},
		{"each slower than the last", {800, 780, 758, 741, 720, 701}, "TRIALS_DRIFT"},
		{"slower by 8 %", {800, 787, 774, 761, 748, 736}, ""},
		{"three say nothing of drift", {800, 740, 680}, "TRIALS_SPREAD"},
		{"rough but without direction", {800, 700, 790, 710, 805, 695}, "TRIALS_SPREAD"},
		{"another state from the sixth on",
		 {800, 802, 798, 801, 799, 700, 702, 698, 701, 699},
		 "TRIALS_CHANGE"},
		{"four after it are too few", {800, 802, 798, 801, 799, 752, 753, 751, 752}, ""},
		{"another by 4 %", {800, 802, 798, 801, 799, 768, 769, 767, 768, 768}, ""},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result result = {0};
		for (int t = 0; rows[i].values[t] > 0; t++)
			add_trial(&result, "p", rows[i].values[t] * 1e6);
		repeats_compute(&result);
		if (strcmp(codes(&result, text), rows[i].wanted) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].what, text, rows[i].wanted);
		assert_int_equal(result.repeats_count, rows[i].values[1] > 0);
		record_release(&result_table, &result);
	}
}

static void a_trial_with_an_invalid_part_is_left_out(void **state)
{
	static const double values[] = {800, 805, 2000, 802, 799, 801};
	struct result result = {0};

	(void)state;
	for (size_t t = 0; t < 6; t++)
		add_trial(&result, "p", values[t] * 1e6);
	findings_add(&result, "CACHE_SERVED", NULL, &result.phases[2], "a", "t", NULL,
		     "from memory");
	repeats_compute(&result);
	assert_int_equal(result.findings_count, 1);
	assert_int_equal(result.repeats[0].trials, 5);
	assert_int_equal(result.repeats[0].left_out, 1);
	assert_true(result.repeats[0].median == 801e6);
	record_release(&result_table, &result);
}

static void figures_over_ten_trials(void **state)
{
	static const double values[] = {97, 98, 99, 99.5, 100, 100.2, 100.5, 101, 102, 103};
	struct result result = {0};

	(void)state;
	for (int t = 0; t < 10; t++)
		add_trial(&result, "p", values[t]);
	add_trial(&result, "p", 50); /* INVALID: shown, and left out */
	findings_add(&result, "TOO_SHORT", NULL, &result.phases[10], NULL, NULL, NULL, "%s", "x");
	repeats_compute(&result);
	assert_int_equal(result.repeats_count, 1);
	const struct result_repeat *r = &result.repeats[0];
	assert_int_equal(r->trials, 10);
	assert_int_equal(r->left_out, 1);
	assert_true(fabs(r->median - 100.1) < 1e-9);
	assert_true(r->low == 98 && r->high == 102);
	assert_true(fabs(r->mean - 100.02) < 1e-9);
	assert_true(r->mean_low > 98.5 && r->mean_low < 99.3);
	assert_true(r->mean_high > 100.7 && r->mean_high < 101.4);
	assert_true(fabs(r->spread - 6 / 100.1) < 1e-9);
	record_release(&result_table, &result);
}

static void intervals_need_their_trials(void **state)
{
	(void)state;
	for (uint32_t count = 2; count <= 10; count++) {
		struct result result = {0};
		for (uint32_t t = 0; t < count; t++)
			add_trial(&result, "p", 100 + t * 0.1);
		repeats_compute(&result);
		assert_int_equal(!isnan(result.repeats[0].low), count >= 6);
		assert_int_equal(!isnan(result.repeats[0].mean_low), count >= 10);
		record_release(&result_table, &result);
	}
}

/* Of 2,000 healthy runs of ten trials, CV 2 %, hardly one is warned of. */
static void healthy_trials_are_silent(void **state)
{
	struct random random = {.state = 7};
	uint32_t warned = 0;

	(void)state;
	for (int run = 0; run < 2000; run++) {
		struct result result = {0};
		for (int t = 0; t < 9; t++) /* under ten: no resampling, which takes long */
			add_trial(&result, "p", 800e6 * (1 + 0.02 * seeded_normal(&random)));
		repeats_compute(&result);
		for (uint32_t f = 0; f < result.findings_count; f++)
			warned += text_is(result.findings[f].level, "WARN");
		record_release(&result_table, &result);
	}
	if (warned > 20)
		fail_msg("%u of 2,000 were warned of", warned);
	print_message("%u of 2,000 healthy runs have a warning\n", warned);
}

/* ---- comparisons ---- */

/* `order`: which side each trial belongs to. */
static void run_both(struct result *result, const char *order, const double *a, const double *b)
{
	for (; *order; order++)
		if (*order == 'A')
			add_trial(result, "a", *a++ * 1e6);
		else
			add_trial(result, "b", *b++ * 1e6);
}

static struct plan_gate *add_gate(struct result *result, const char *against)
{
	if (!result->plan)
		result->plan = mem_new(1, sizeof(*result->plan));
	struct plan_gate *gate = RECORD_APPEND(result->plan->gates, result->plan->gates_count);
	*gate = (struct plan_gate){.phase = mem_text("b"),
				   .metric = PLAN_METRIC_THROUGHPUT,
				   .of = PLAN_OF_FLEET,
				   .against = mem_text(against)};
	return gate;
}

static void sides_differ_or_not(void **state)
{
	static const double low[] = {100, 101, 99, 100.5, 99.5};
	static const double high[] = {110, 111, 109, 110.5, 109.5};
	static const double near[] = {100.2, 101.1, 99.3, 100.6, 99.4};
	static const double rough[] = {80, 125, 97, 103, 108};
	static const double three_more[] = {103, 104, 102, 103.5, 102.5};
	/* The same side twice, 10 more from each trial to the next. */
	static const double early[] = {100, 120, 140, 160, 180}, late[] = {110, 130, 150, 170, 190};
	static const struct {
		const char *what, *order;
		const double *a, *b;
		const char *verdict;
	} rows[] = {
		{"faster", "ABABABABAB", low, high, "BETTER"},
		{"slower", "ABABABABAB", high, low, "WORSE"},
		{"alike", "ABABABABAB", low, near, "SAME"},
		{"by 3 %", "ABABABABAB", low, three_more, "SAME"},
		{"too rough", "ABABABABAB", low, rough, "INCONCLUSIVE"},
		{"three a side", "ABABAB", low, high, "INCONCLUSIVE"},
		{"a drift alone", "ABABABABAB", early, late, "INCONCLUSIVE"},
		{"four a side", "ABABABAB", low, high, "BETTER"},
		{"one after the other", "AAAAABBBBB", low, high, "INCONCLUSIVE"},
		{"alike, one after the other", "AAAAABBBBB", low, near, "SAME"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result result = {0};
		run_both(&result, rows[i].order, rows[i].a, rows[i].b);
		add_gate(&result, "a");
		add_gate(&result, "a")->of = PLAN_OF_HOST; /* the same once more */
		comparisons_compute(&result, NULL);
		assert_int_equal(result.comparisons_count, 1);
		const struct result_comparison *c = &result.comparisons[0];
		if (!text_is(c->verdict, rows[i].verdict))
			fail_msg("%s: %s (%s), not %s", rows[i].what, c->verdict,
				 text_or(c->text, ""), rows[i].verdict);
		assert_int_equal(c->text != NULL, text_is(c->verdict, "INCONCLUSIVE"));
		record_release(&result_table, &result);
	}
}

/* The worked example of six a side: shift -3.0, of 100.25 in the middle. */
static void shift_and_interval_are_those_of_the_ranks(void **state)
{
	static const double a[] = {101, 99, 100, 102, 98, 100.5};
	static const double b[] = {97, 96, 98.5, 97.5, 95, 99.5};
	struct result result = {0};

	(void)state;
	run_both(&result, "ABABABABABAB", a, b);
	add_gate(&result, "a");
	comparisons_compute(&result, NULL);
	const struct result_comparison *c = &result.comparisons[0];
	assert_true(fabs(c->shift + 100 * 3.0 / 100.25) < 1e-6);
	assert_true(fabs(c->low + 100 * 5.0 / 100.25) < 1e-6);
	assert_true(fabs(c->high + 100 * 0.5 / 100.25) < 1e-6);
	assert_true(fabs(c->p - 0.0151515) < 1e-6);
	record_release(&result_table, &result);
}

static void a_baseline_is_of_another_time(void **state)
{
	static const double low[] = {100, 101, 99, 100.5, 99.5};
	static const double high[] = {110, 111, 109, 110.5, 109.5};
	struct result result = {0}, baseline = {0};

	(void)state;
	run_both(&baseline, "BBBBB", NULL, low);
	run_both(&result, "BBBBB", NULL, high);
	add_gate(&result, PLAN_BASELINE);
	comparisons_compute(&result, NULL);
	assert_int_equal(result.comparisons_count, 0);
	comparisons_compute(&result, &baseline);
	assert_int_equal(result.comparisons_count, 1);
	assert_true(result.comparisons[0].confounded);
	assert_string_equal(result.comparisons[0].verdict, "INCONCLUSIVE");
	assert_true(fabs(result.comparisons[0].shift - 10) < 1e-6);
	record_release(&result_table, &result);
	record_release(&result_table, &baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_are_of_one_kind_or_not),
		cmocka_unit_test(a_trial_with_an_invalid_part_is_left_out),
		cmocka_unit_test(figures_over_ten_trials),
		cmocka_unit_test(intervals_need_their_trials),
		cmocka_unit_test(healthy_trials_are_silent),
		cmocka_unit_test(sides_differ_or_not),
		cmocka_unit_test(shift_and_interval_are_those_of_the_ranks),
		cmocka_unit_test(a_baseline_is_of_another_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
