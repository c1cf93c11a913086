#include "controller/analysis/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/bootstrap.h"
#include "controller/analysis/change.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/normal.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/trial_figures.h"
#include "controller/analysis/trials.h"

#define SEED         1
#define DRIFT_LEAST  0.10 /* of the mean, from the first trial to the last */
#define DRIFT_P      0.01
#define CHANGE_LEAST 0.05
#define SPREAD_MOST  0.10
#define DRIFT_TRIALS 4

/* ---- figures ---- */

static double variation(const double *values, uint32_t count, double mean)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (count - 1)) / mean;
}

/* Two-sided probability of such a slope by chance; NAN with fewer than three. */
static double slope_p(const double *values, uint32_t count, double slope, double mean)
{
	double middle = (count - 1) / 2.0, squares = 0, apart = 0;

	if (count < 3)
		return NAN;
	for (uint32_t i = 0; i < count; i++) {
		double off = values[i] - mean - slope * (i - middle);
		squares += off * off;
		apart += (i - middle) * (i - middle);
	}
	if (squares == 0)
		return slope == 0 ? 1 : 0;
	return student_p(slope / sqrt(squares / (count - 2) / apart), count - 2.0);
}

static void fill_intervals(struct result_repeat *into, const double *values, uint32_t count)
{
	double *sorted = mem_new(count, sizeof(*sorted));
	struct bootstrap mean = bootstrap_interval(values, count, stats_mean, 0.95, SEED);
	uint32_t low, high;

	memcpy(sorted, values, count * sizeof(*sorted));
	stats_sort(sorted, count);
	into->median = stats_quantile(sorted, count, 0.5);
	into->spread = (sorted[count - 1] - sorted[0]) / into->median;
	into->low = into->high = NAN;
	if (stats_quantile_ranks(count, 0.5, 0.95, &low, &high, NULL)) {
		into->low = sorted[low - 1];
		into->high = sorted[high - 1];
	}
	into->mean = mean.value;
	into->mean_low = mean.low;
	into->mean_high = mean.high;
	free(sorted);
}

static void fill(struct result_repeat *into, const char *phase, enum plan_metric metric,
		 const struct trial_figures *figures)
{
	double slope = stats_slope(figures->values, figures->count);

	into->phase = mem_text(phase);
	into->metric = mem_text(plan_metric_names[metric]);
	into->trials = figures->count;
	into->left_out = figures->left_out;
	fill_intervals(into, figures->values, figures->count);
	into->variation = variation(figures->values, figures->count, into->mean);
	into->drift = slope * (figures->count - 1) / into->mean;
	into->drift_p = slope_p(figures->values, figures->count, slope, into->mean);
	into->detectable = trials_detectable(into->variation, figures->count);
}

/* ---- findings ---- */

static void find_change(struct result *result, const struct result_phase *phase,
			const struct result_repeat *r, const struct change *change)
{
	struct result_finding *finding = findings_add(
		result, "TRIALS_CHANGE", NULL, phase, NULL, NULL, NULL,
		"from trial %u on the trials have another %s: %.1f %% of the mean of those before",
		change->at + 1, r->metric, 100 * change->after / change->before);
	findings_figure(finding, "at", change->at + 1);
	findings_figure(finding, "before", change->before);
	findings_figure(finding, "after", change->after);
	findings_figure(finding, "p", change->p);
}

static void find_drift(struct result *result, const struct result_phase *phase,
		       const struct result_repeat *r)
{
	struct result_finding *finding = findings_add(
		result, "TRIALS_DRIFT", NULL, phase, NULL, NULL, NULL,
		"the %s of %u trials moves by %+.1f %% from the first to the last (p %.2g)",
		r->metric, r->trials, 100 * r->drift, r->drift_p);
	findings_figure(finding, "drift", r->drift);
	findings_figure(finding, "p", r->drift_p);
}

static void find_spread(struct result *result, const struct result_phase *phase,
			const struct result_repeat *r)
{
	uint32_t needed = trials_needed(r->variation, CHANGE_LEAST);
	struct result_finding *finding = findings_add(
		result, "TRIALS_SPREAD", NULL, phase, NULL, NULL, NULL,
		"the %s of %u trials lies %.1f %% of the median apart; with so many, what differs "
		"by less than %.0f %% goes unseen; %u would show %.0f %%",
		r->metric, r->trials, 100 * r->spread, 100 * r->detectable, needed,
		100 * CHANGE_LEAST);
	findings_figure(finding, "spread", r->spread);
	findings_figure(finding, "variation", r->variation);
	findings_figure(finding, "detectable", r->detectable);
	findings_figure(finding, "needed", needed);
}

/* Of the phase's throughput; the first trial is the place of what is about all of them. */
static void check(struct result *result, const struct result_phase *first,
		  const struct result_repeat *r, const struct trial_figures *figures)
{
	const struct result_phase phase = {.name = first->name};
	struct change change;

	if (change_find(figures->values, figures->count, CHANGE_LEAST, &change))
		find_change(result, &phase, r, &change);
	else if (r->trials >= DRIFT_TRIALS && fabs(r->drift) > DRIFT_LEAST && r->drift_p <= DRIFT_P)
		find_drift(result, &phase, r);
	else if (r->spread > SPREAD_MOST)
		find_spread(result, &phase, r);
}

/* ---- all phases ---- */

static bool is_first(const struct result *result, uint32_t index)
{
	for (uint32_t p = 0; p < index; p++)
		if (text_is(result->phases[p].name, result->phases[index].name))
			return false;
	return !text_is(result->phases[index].op, "idle") &&
	       !text_is(result->phases[index].op, "fill");
}

static void take(struct result *result, uint32_t index)
{
	static const enum plan_metric metrics[] = {PLAN_METRIC_THROUGHPUT, PLAN_METRIC_P99_LATENCY};

	for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++) {
		const char *name = result->phases[index].name;
		struct trial_figures figures = trial_figures_take(result, name, metrics[m]);
		if (figures.count > 1) {
			struct result_repeat *into =
				RECORD_APPEND(result->repeats, result->repeats_count);
			fill(into, name, metrics[m], &figures);
			if (metrics[m] == PLAN_METRIC_THROUGHPUT)
				check(result, &result->phases[index], into, &figures);
		}
		trial_figures_release(&figures);
	}
}

void repeats_compute(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		if (result->phases[p].name && is_first(result, p))
			take(result, p);
}
