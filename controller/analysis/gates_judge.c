#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates_inside.h"
#include "controller/analysis/stats.h"

#define LEAST_TRIALS 6 /* for an interval of their median at 95 % */

const char *gates_label(const struct result *result, const char *host, const char *label)
{
	for (uint32_t h = 0; h < result->hosts_count; h++) {
		const struct result_host *about = &result->hosts[h];
		for (uint32_t l = 0; text_is(about->host, host) && l < about->labels_count; l++)
			if (text_is(about->labels[l].name, label))
				return about->labels[l].value;
	}
	return NULL;
}

/* ---- findings that cover a row ---- */

static bool is_in_phase(const struct result_finding *finding, const struct result_phase *phase)
{
	return phase && findings_is_in(finding, phase);
}

static bool covers(const struct result *result, const struct gate_row *about,
		   const struct result_finding *finding)
{
	if (!is_in_phase(finding, about->phase) && !is_in_phase(finding, about->other))
		return false;
	if (about->target && finding->target && !text_is(finding->target, about->target))
		return false;
	if (!finding->host)
		return true;
	if (about->value)
		return text_is(gates_label(result, finding->host, about->gate->label),
			       about->value);
	return !about->host || text_is(finding->host, about->host);
}

/* A gate on such a metric is about just what the finding says, and judges it by its own limit. */
static bool is_own_subject(enum plan_metric metric, const struct result_finding *finding)
{
	static const struct {
		enum plan_metric metric;
		const char *code;
	} subjects[] = {
		{PLAN_METRIC_ERRORS, "IO_ERRORS"},
		{PLAN_METRIC_START_SKEW, "START_SKEW"},
		{PLAN_METRIC_DEVICE_SHARE, "CACHE_SERVED"},
	};

	for (size_t s = 0; s < sizeof(subjects) / sizeof(subjects[0]); s++)
		if (subjects[s].metric == metric && text_is(finding->code, subjects[s].code))
			return true;
	return false;
}

/* Such figures mean something whether the phase was steady or not. */
static bool needs_steadiness(enum plan_metric metric)
{
	return metric != PLAN_METRIC_ERRORS && metric != PLAN_METRIC_START_SKEW &&
	       metric != PLAN_METRIC_STEADINESS && metric != PLAN_METRIC_DEVICE_SHARE;
}

/* That the phase was not steady, or that nobody can say. */
static bool is_of_steadiness(const struct result_finding *finding)
{
	return text_is(finding->code, "NOT_STEADY") || text_is(finding->code, "TIMELINE_MISSING");
}

/* Of two rates that are told one is wrong, and nobody knows which. */
static bool is_of_rates(enum plan_metric metric, const struct result_finding *finding)
{
	return text_is(finding->code, "VALUES_DISAGREE") && text_is(finding->level, "WARN") &&
	       (metric == PLAN_METRIC_THROUGHPUT || metric == PLAN_METRIC_IOPS ||
		metric == PLAN_METRIC_SPREAD || metric == PLAN_METRIC_STRIPE_EFFICIENCY);
}

static bool weakens(const struct result *result, const struct gate_row *about,
		    const struct result_finding *finding)
{
	if (is_of_rates(about->gate->metric, finding))
		return covers(result, about, finding);
	return is_of_steadiness(finding) && needs_steadiness(about->gate->metric) &&
	       (is_in_phase(finding, about->phase) || is_in_phase(finding, about->other));
}

/* The first finding that makes the figure INVALID, else INCONCLUSIVE; NULL: it stands. A phase is
 * steady where the sum and each host are, so that one host leaves no gate on it to be judged. */
static const struct result_finding *find_doubt(const struct result *result,
					       const struct gate_row *about)
{
	const struct result_finding *doubt = NULL;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		bool breaks = text_is(finding->level, "INVALID") &&
			      !is_own_subject(about->gate->metric, finding) &&
			      covers(result, about, finding);
		if (!breaks && !(weakens(result, about, finding) && !doubt))
			continue;
		doubt = finding;
		if (breaks)
			break;
	}
	return doubt;
}

/* ---- limits ---- */

/* From the nearest limit, of that limit; NAN: there is none, or it is 0. */
static double margin_of(const struct plan_gate *gate, double value)
{
	double least = plan_gate_limit(gate, gate->at_least);
	double most = plan_gate_limit(gate, gate->at_most);
	double within = plan_gate_limit(gate, gate->within);
	double margin = NAN;

	if (least > 0)
		margin = (value - least) / least;
	if (most > 0)
		margin = fmin(margin, (most - value) / most);
	if (within > 0)
		margin = (within - fabs(value - 100)) / within;
	return margin;
}

/* A limit that the gate has not is NAN, which nothing is below or above. */
static bool holds(const struct plan_gate *gate, double value)
{
	return !(value < plan_gate_limit(gate, gate->at_least) ||
		 value > plan_gate_limit(gate, gate->at_most) ||
		 fabs(value - 100) > plan_gate_limit(gate, gate->within));
}

static char *doubt_text(const struct result_finding *doubt)
{
	char *place = findings_place(doubt);
	char *text = mem_format("%s, %s: %s", text_or(doubt->code, "?"), place,
				text_or(doubt->evidence, ""));

	free(place);
	return text;
}

void gates_judge(struct result *result, uint32_t index, const struct gate_row *about)
{
	struct result_gate *row = &result->gates[index];
	const struct result_finding *doubt = find_doubt(result, about);
	const char *state;

	if (doubt && text_is(doubt->level, "INVALID")) {
		state = "INVALID";
		row->text = doubt_text(doubt);
	} else if (isnan(row->value)) {
		state = about->lack ? "INCONCLUSIVE" : "INVALID";
		row->text = mem_text(about->lack ? about->lack : "it was not measured");
	} else if (doubt) {
		state = "INCONCLUSIVE";
		row->text = doubt_text(doubt);
	} else {
		state = holds(about->gate, row->value) ? "PASS" : "FAIL";
		row->margin = margin_of(about->gate, row->value);
	}
	row->state = mem_text(state);
}

/* ---- over trials ---- */

struct key {
	const struct result_gate *row;
	const struct gate_row *about;
	uint32_t index;
};

static int compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->about->gate != y->about->gate)
		return x->about->gate < y->about->gate ? -1 : 1;
	return strcmp(x->row->who, y->row->who);
}

static void add_interval(struct result *result, const struct key *keys, uint32_t count)
{
	double *values = mem_new(count, sizeof(*values));
	uint32_t measured = 0, low, high;

	for (uint32_t i = 0; i < count; i++)
		if (text_is(keys[i].row->state, "PASS") || text_is(keys[i].row->state, "FAIL"))
			values[measured++] = keys[i].row->value;
	if (measured >= LEAST_TRIALS &&
	    stats_quantile_ranks(measured, 0.5, 0.95, &low, &high, NULL)) {
		stats_sort(values, measured);
		for (uint32_t i = 0; i < count; i++) {
			result->gates[keys[i].index].low = values[low - 1];
			result->gates[keys[i].index].high = values[high - 1];
		}
	}
	free(values);
}

void gates_add_intervals(struct result *result, const struct gate_row *about)
{
	uint32_t count = result->gates_count, end;

	if (count < LEAST_TRIALS)
		return;
	struct key *keys = mem_new(count, sizeof(*keys));
	for (uint32_t g = 0; g < count; g++)
		keys[g] = (struct key){&result->gates[g], &about[g], g};
	qsort(keys, count, sizeof(*keys), compare);
	for (uint32_t from = 0; from < count; from = end) {
		for (end = from + 1; end < count && compare(&keys[from], &keys[end]) == 0; end++)
			;
		if (end - from >= LEAST_TRIALS)
			add_interval(result, &keys[from], end - from);
	}
	free(keys);
}

/* ---- limits that are not resolved ---- */

static bool is_on_border(const struct plan_gate *gate, const struct result_gate *row)
{
	bool is_held = holds(gate, row->value);

	return !isnan(row->low) && !isnan(row->high) &&
	       (holds(gate, row->low) != is_held || holds(gate, row->high) != is_held);
}

void gates_note_borders(struct result *result, const struct gate_row *about)
{
	for (uint32_t g = 0; g < result->gates_count; g++) {
		struct result_gate *row = &result->gates[g];
		bool is_judged = text_is(row->state, "PASS") || text_is(row->state, "FAIL");
		if (is_judged && !row->text && is_on_border(about[g].gate, row))
			row->text =
				mem_text("not resolved: the limit lies within the interval, so "
					 "that another run may come out on its other side; more "
					 "trials, or a longer runtime, narrow it");
	}
}
