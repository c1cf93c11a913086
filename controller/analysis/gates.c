#include "controller/analysis/gates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/baseline.h"
#include "controller/analysis/comparisons.h"
#include "controller/analysis/gates_inside.h"
#include "controller/analysis/group.h"
#include "controller/analysis/repeats.h"
#include "controller/analysis/window.h"

/* What all gates are made with. */
struct making {
	struct result *result;
	const struct result_series *series;
	const struct result *baseline;
	struct gate_row *about; /* as many as result->gates */
	uint32_t about_count;
};

/* ---- rows ---- */

static char *limit_text(const struct plan_gate *gate)
{
	char *against = !gate->against ? mem_text("")
			: text_is(gate->against, PLAN_BASELINE)
				? mem_text(" of the baseline")
				: mem_format(" of phase '%s'", gate->against);
	char *text;

	if (gate->within)
		text = mem_format("within %s%s", gate->within, against);
	else if (gate->at_least && gate->at_most)
		text = mem_format("at_least %s, at_most %s%s", gate->at_least, gate->at_most,
				  against);
	else
		text = mem_format("%s %s%s", gate->at_least ? "at_least" : "at_most",
				  gate->at_least ? gate->at_least : text_or(gate->at_most, ""),
				  against);
	free(against);
	return text;
}

/* Takes `who`. */
static void add_row(struct making *making, const struct gate_row *about, char *who, uint32_t trial,
		    struct gate_figure figure)
{
	const struct plan_gate *gate = about->gate;
	struct result_gate *row = RECORD_APPEND(making->result->gates, making->result->gates_count);
	struct gate_row *kept = RECORD_APPEND(making->about, making->about_count);

	*row = (struct result_gate){
		.phase = mem_text(gate->phase),
		.metric = mem_text(plan_metric_names[gate->metric]),
		.of = mem_text(plan_of_names[gate->of]),
		.who = who,
		.trial = trial,
		.against = mem_text(gate->against),
		.limit = limit_text(gate),
		.value = figure.value,
		.low = figure.low,
		.high = figure.high,
		.margin = NAN,
	};
	*kept = *about;
	kept->lack = figure.lack;
}

/* ---- against something ---- */

static struct gate_figure ratio(struct gate_figure figure, struct gate_figure to)
{
	struct gate_figure result = {.value = NAN, .low = NAN, .high = NAN, .lack = figure.lack};

	if (isnan(figure.value))
		return result;
	result.lack = to.lack ? to.lack : "what it is against was not measured";
	if (to.value > 0) {
		result.value = 100 * figure.value / to.value;
		result.lack = NULL;
	}
	return result;
}

static uint32_t index_of(const struct result *result, const struct result_phase *phase)
{
	return (uint32_t)(phase - result->phases);
}

static const struct phase_series *series_of(const struct making *making,
					    const struct result_phase *phase)
{
	return making->series && making->series->phases
		       ? &making->series->phases[index_of(making->result, phase)]
		       : NULL;
}

/* The other phase of the same trial; NULL: it was not run. */
static const struct result_phase *find_other(const struct making *making,
					     const struct plan_gate *gate, uint32_t trial)
{
	for (uint32_t p = 0; gate->against && p < making->result->phases_count; p++)
		if (text_is(making->result->phases[p].name, gate->against) &&
		    making->result->phases[p].trial == trial)
			return &making->result->phases[p];
	return NULL;
}

static struct gate_figure take(const struct making *making, const struct gate_scope *scope,
			       const struct gate_row *about);

/* The figure of the same host, target or group in the other phase. */
static struct gate_figure figure_of_other(const struct making *making, const struct gate_row *about)
{
	struct gate_scope scope = {
		.result = making->result, .phase = about->other, .of = about->gate->of};
	bool found = !about->host;

	scope.series = series_of(making, about->other);
	for (uint32_t h = 0; about->host && h < about->other->hosts_count; h++) {
		const struct result_phase_host *host = &about->other->hosts[h];
		if (!text_is(host->host, about->host))
			continue;
		scope.host = h;
		found = !about->target;
		for (uint32_t t = 0; about->target && t < host->targets_count; t++)
			if (text_is(host->targets[t].target, about->target)) {
				scope.target = t;
				found = true;
			}
	}
	if (!found)
		return (struct gate_figure){.value = NAN,
					    .lack = "the other phase is not on that target"};
	return take(making, &scope, about);
}

static struct gate_figure compare(const struct making *making, const struct gate_row *about,
				  struct gate_figure figure)
{
	if (!about->gate->against)
		return figure;
	if (about->other)
		return ratio(figure, figure_of_other(making, about));
	if (text_is(about->gate->against, PLAN_BASELINE) && making->baseline && about->phase &&
	    about->gate->of == PLAN_OF_FLEET &&
	    !baseline_is_comparable(making->baseline, about->phase, about->gate->metric))
		return ratio(figure,
			     (struct gate_figure){
				     .value = NAN,
				     .lack = "the baseline had another number of hosts; hold "
					     "each against it (of: host)"});
	if (text_is(about->gate->against, PLAN_BASELINE) && making->baseline)
		return ratio(figure,
			     baseline_figure(making->baseline, about->gate->phase, about->host,
					     about->target, about->gate->metric));
	const char *lack = text_is(about->gate->against, PLAN_BASELINE)
				   ? "there is no baseline: name the run with --baseline"
				   : "what it is against was not run";
	return ratio(figure, (struct gate_figure){.value = NAN, .lack = lack});
}

/* ---- figures ---- */

/* Of the hosts with the label's value. */
static struct gate_figure take_group(const struct making *making, const struct gate_scope *whole,
				     const struct gate_row *about)
{
	const struct result_phase *phase = whole->phase;
	bool *takes = mem_new(phase->hosts_count, sizeof(*takes));
	struct gate_scope scope = *whole;
	struct group group;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		takes[h] = text_is(
			gates_label(making->result, phase->hosts[h].host, about->gate->label),
			about->value);
	group_init(&group, phase, whole->series, takes);
	scope.phase = &group.phase;
	scope.series = whole->series ? &group.series : NULL;
	struct gate_figure figure = gate_figure(&scope, about->gate->metric);
	group_release(&group);
	free(takes);
	return figure;
}

static struct gate_figure take(const struct making *making, const struct gate_scope *scope,
			       const struct gate_row *about)
{
	bool of_one = scope->of == PLAN_OF_HOST || scope->of == PLAN_OF_TARGET;

	if (of_one && !window_host_is_complete(&scope->phase->hosts[scope->host]))
		return (struct gate_figure){.value = NAN, .low = NAN, .high = NAN};
	return about->value ? take_group(making, scope, about)
			    : gate_figure(scope, about->gate->metric);
}

/* Takes `who`. */
static void hold_one(struct making *making, const struct gate_scope *scope,
		     const struct gate_row *about, char *who)
{
	add_row(making, about, who, scope->phase->trial,
		compare(making, about, take(making, scope, about)));
}

/* ---- whom a gate is of ---- */

static void hold_host(struct making *making, struct gate_scope scope, struct gate_row about)
{
	const struct result_phase_host *host = &scope.phase->hosts[scope.host];

	about.host = host->host;
	if (scope.of == PLAN_OF_HOST) {
		hold_one(making, &scope, &about, mem_text(host->host));
		return;
	}
	for (scope.target = 0; scope.target < host->targets_count; scope.target++) {
		about.target = host->targets[scope.target].target;
		hold_one(making, &scope, &about, mem_format("%s:%s", host->host, about.target));
	}
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void hold_labels(struct making *making, const struct gate_scope *scope,
			struct gate_row about)
{
	const struct result_phase *phase = scope->phase;
	const char **values = mem_new(phase->hosts_count, sizeof(*values));
	uint32_t count = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		values[count] =
			gates_label(making->result, phase->hosts[h].host, about.gate->label);
		count += values[count] != NULL;
	}
	if (count)
		qsort(values, count, sizeof(*values), compare_texts);
	for (uint32_t v = 0; v < count; v++) {
		if (v && strcmp(values[v], values[v - 1]) == 0)
			continue;
		about.value = values[v];
		hold_one(making, scope, &about,
			 mem_format("%s=%s", about.gate->label, about.value));
	}
	free(values);
}

static void hold(struct making *making, const struct plan_gate *gate,
		 const struct result_phase *phase)
{
	struct gate_scope scope = {.result = making->result,
				   .phase = phase,
				   .series = series_of(making, phase),
				   .of = gate->of};
	struct gate_row about = {
		.gate = gate, .phase = phase, .other = find_other(making, gate, phase->trial)};

	if (gate->of == PLAN_OF_FLEET)
		hold_one(making, &scope, &about, mem_text("fleet"));
	else if (gate->of == PLAN_OF_LABEL)
		hold_labels(making, &scope, about);
	else
		for (; scope.host < phase->hosts_count; scope.host++)
			hold_host(making, scope, about);
}

static void hold_all(struct making *making, const struct plan_gate *gate)
{
	struct result *result = making->result;
	uint32_t before = result->gates_count;

	for (uint32_t p = 0; p < result->phases_count; p++)
		if (text_is(result->phases[p].name, gate->phase))
			hold(making, gate, &result->phases[p]);
	if (result->gates_count == before)
		add_row(making, &(struct gate_row){.gate = gate}, mem_text("fleet"), 1,
			(struct gate_figure){.value = NAN, .low = NAN, .high = NAN});
}

static void judge(struct making *making, bool errors)
{
	for (uint32_t g = 0; g < making->about_count; g++)
		if ((making->about[g].gate->metric == PLAN_METRIC_ERRORS) == errors)
			gates_judge(making->result, g, &making->about[g]);
}

void gates_compute(struct result *result, const struct result_series *series,
		   const struct result *baseline)
{
	struct making making = {.result = result, .series = series, .baseline = baseline};

	for (uint32_t g = 0; result->plan && g < result->plan->gates_count; g++)
		hold_all(&making, &result->plan->gates[g]);
	judge(&making, true);
	gates_allow_errors(result);
	judge(&making, false);
	gates_add_intervals(result, making.about);
	gates_note_borders(result, making.about);
	repeats_compute(result);
	comparisons_compute(result, baseline);
	free(making.about);
}
