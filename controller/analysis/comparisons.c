#include "controller/analysis/comparisons.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/baseline.h"
#include "controller/analysis/rank.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/trial_figures.h"
#include "controller/analysis/trials.h"

#define LEAST_SHIFT 5.0 /* percent */
#define FALSE_SHARE 0.05

/* Whether a larger figure is a better one. */
static bool is_rate(enum plan_metric metric)
{
	return metric == PLAN_METRIC_THROUGHPUT || metric == PLAN_METRIC_IOPS;
}

/* ---- the order in which both sides were run ---- */

/* Of one run: both sides in the order of their starts. */
static bool are_confounded(const struct trial_figures *a, const struct trial_figures *b)
{
	uint32_t count = a->count + b->count, i = 0, k = 0;
	bool *sides = mem_new(count, sizeof(*sides));

	for (uint32_t n = 0; n < count; n++) {
		sides[n] = i >= a->count || (k < b->count && b->starts_ns[k] < a->starts_ns[i]);
		i += !sides[n];
		k += sides[n];
	}
	bool confounded = trials_are_confounded(sides, count);
	free(sides);
	return confounded;
}

/* ---- a comparison ---- */

static void say(struct result_comparison *row, const char *verdict, char *text)
{
	row->verdict = mem_text(verdict);
	row->text = text;
}

/* Both sides' one-sided bounds at 95 %: the 90 % interval. */
static bool are_same(const struct trial_figures *other, const struct trial_figures *own,
		     double median)
{
	struct rank_shift shift =
		rank_shift(other->values, other->count, own->values, own->count, 0.90);

	return shift.has_interval && 100 * fabs(shift.low) <= LEAST_SHIFT * median &&
	       100 * fabs(shift.high) <= LEAST_SHIFT * median;
}

static void fill(struct result_comparison *row, const struct trial_figures *other,
		 const struct trial_figures *own)
{
	double median = stats_median(other->values, other->count);
	struct rank_shift shift =
		rank_shift(other->values, other->count, own->values, own->count, 0.95);

	row->trials = own->count;
	row->against_trials = other->count;
	row->shift = 100 * shift.shift / median;
	row->low = shift.has_interval ? 100 * shift.low / median : NAN;
	row->high = shift.has_interval ? 100 * shift.high / median : NAN;
	row->p = rank_p(other->values, other->count, own->values, own->count);
	if (own->count < RANK_LEAST || other->count < RANK_LEAST)
		say(row, "INCONCLUSIVE", mem_format("it takes %u trials a side", RANK_LEAST));
	else if (are_same(other, own, median))
		say(row, "SAME", NULL);
}

static struct result_comparison *add_row(struct result *result, const struct plan_gate *gate)
{
	struct result_comparison *row =
		RECORD_APPEND(result->comparisons, result->comparisons_count);

	*row = (struct result_comparison){
		.phase = mem_text(gate->phase),
		.metric = mem_text(plan_metric_names[gate->metric]),
		.against = mem_text(gate->against),
	};
	return row;
}

static bool is_of_same_fleet(const struct result *result, const struct result *baseline,
			     const struct plan_gate *gate)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		if (text_is(result->phases[p].name, gate->phase) &&
		    !baseline_is_comparable(baseline, &result->phases[p], gate->metric))
			return false;
	return true;
}

static void compare(struct result *result, const struct result *baseline,
		    const struct plan_gate *gate)
{
	bool is_baseline = text_is(gate->against, PLAN_BASELINE);
	const struct result *of = is_baseline ? baseline : result;

	if (!of || (is_baseline && !is_of_same_fleet(result, baseline, gate)))
		return;
	struct trial_figures own = trial_figures_take(result, gate->phase, gate->metric);
	struct trial_figures other =
		trial_figures_take(of, is_baseline ? gate->phase : gate->against, gate->metric);
	if (own.count > 1 && other.count > 1) {
		struct result_comparison *row = add_row(result, gate);
		fill(row, &other, &own);
		row->confounded = is_baseline || are_confounded(&other, &own);
	}
	trial_figures_release(&own);
	trial_figures_release(&other);
}

/* ---- over all of them ---- */

/* The largest p that counts. */
static double p_that_counts(const struct result *result)
{
	double *p = mem_new(result->comparisons_count, sizeof(*p)), most = -1;

	for (uint32_t c = 0; c < result->comparisons_count; c++)
		p[c] = result->comparisons[c].p;
	uint32_t count = trials_discoveries(p, result->comparisons_count, FALSE_SHARE);
	stats_sort(p, result->comparisons_count);
	if (count)
		most = p[count - 1];
	free(p);
	return most;
}

static void judge(struct result_comparison *row, double counts)
{
	bool more = row->shift > 0;
	bool rate = is_rate((enum plan_metric)record_enum_find(plan_metric_names, row->metric));

	if (row->verdict)
		return;
	if (row->p > counts)
		say(row, "INCONCLUSIVE",
		    mem_format("chance alone may do that (p %.2g); more trials could tell",
			       row->p));
	else if (fabs(row->shift) < LEAST_SHIFT)
		say(row, "INCONCLUSIVE",
		    mem_format("they differ, by less than %g %%, and may by more", LEAST_SHIFT));
	else if (row->confounded)
		say(row, "INCONCLUSIVE",
		    mem_format(
			    "all trials of one side came before the other's: it may be the time "
			    "that differs; as phases of one plan with repeat: %u they take turns",
			    RANK_LEAST));
	else
		say(row, more == rate ? "BETTER" : "WORSE", NULL);
}

static bool is_repeated(const struct plan *plan, uint32_t g)
{
	const struct plan_gate *gate = &plan->gates[g];

	for (uint32_t o = 0; o < g; o++)
		if (text_is(plan->gates[o].phase, gate->phase) &&
		    text_is(plan->gates[o].against, gate->against) &&
		    plan->gates[o].metric == gate->metric)
			return true;
	return false;
}

void comparisons_compute(struct result *result, const struct result *baseline)
{
	const struct plan *plan = result->plan;

	for (uint32_t g = 0; plan && g < plan->gates_count; g++)
		if (plan->gates[g].against && !is_repeated(plan, g))
			compare(result, baseline, &plan->gates[g]);
	double counts = p_that_counts(result);
	for (uint32_t c = 0; c < result->comparisons_count; c++)
		judge(&result->comparisons[c], counts);
}
