#include "controller/analysis/gates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/stats.h"
#include "controller/analysis/window.h"

/* ---- figures ---- */

static double target_value(const struct result_target *target, enum plan_metric metric)
{
	switch (metric) {
	case PLAN_METRIC_THROUGHPUT:
		return target->throughput_bytes_per_s;
	case PLAN_METRIC_IOPS:
		return target->iops;
	case PLAN_METRIC_ERRORS:
		return (double)target->errors;
	case PLAN_METRIC_SPREAD:
		break;
	}
	return NAN;
}

static double host_value(const struct result_phase *phase, const struct result_phase_host *host,
			 enum plan_metric metric)
{
	struct window_interval own = window_host_interval(phase, host);
	uint64_t errors = 0;

	for (uint32_t t = 0; t < host->targets_count; t++)
		errors += host->targets[t].errors;
	switch (metric) {
	case PLAN_METRIC_THROUGHPUT:
		return window_rate(window_host_bytes(host), own);
	case PLAN_METRIC_IOPS:
		return window_rate(window_host_operations(host), own);
	case PLAN_METRIC_ERRORS:
		return (double)errors;
	case PLAN_METRIC_SPREAD:
		break;
	}
	return NAN;
}

/* In percent; NAN with fewer than two hosts, or one that moved nothing. */
static double spread(const struct result_phase *phase)
{
	double *rates = mem_new(phase->hosts_count, sizeof(*rates)), value = NAN;
	uint32_t count = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		rates[count] = host_value(phase, &phase->hosts[h], PLAN_METRIC_THROUGHPUT);
		count += !isnan(rates[count]);
	}
	if (count == phase->hosts_count && count > 1) {
		stats_sort(rates, count);
		value = 100 * (rates[count - 1] - rates[0]) / stats_quantile(rates, count, 0.5);
	}
	free(rates);
	return value;
}

static double fleet_value(const struct result_phase *phase, enum plan_metric metric)
{
	const struct result_cluster *cluster = phase->cluster;

	if (!cluster)
		return NAN;
	switch (metric) {
	case PLAN_METRIC_THROUGHPUT:
		return text_is(cluster->headline, "span") ? cluster->span_bytes_per_s
							  : cluster->all_active_bytes_per_s;
	case PLAN_METRIC_IOPS:
		return cluster->iops;
	case PLAN_METRIC_ERRORS:
		return (double)cluster->errors;
	case PLAN_METRIC_SPREAD:
		return spread(phase);
	}
	return NAN;
}

/* ---- rows ---- */

static char *limit_text(const struct plan_gate *gate)
{
	if (gate->at_least && gate->at_most)
		return mem_format("at_least %s, at_most %s", gate->at_least, gate->at_most);
	return gate->at_least ? mem_format("at_least %s", gate->at_least)
			      : mem_format("at_most %s", gate->at_most ? gate->at_most : "");
}

static const char *judge(const struct plan_gate *gate, double value)
{
	if (isnan(value))
		return "INVALID";
	/* A limit that the gate has not is NAN, which nothing is below or above. */
	if (value < plan_gate_limit(gate, gate->at_least) ||
	    value > plan_gate_limit(gate, gate->at_most))
		return "FAIL";
	return "PASS";
}

/* Takes `who`. */
static void add_row(struct result *result, const struct plan_gate *gate, uint32_t trial, char *who,
		    double value)
{
	struct result_gate *row = RECORD_APPEND(result->gates, result->gates_count);

	*row = (struct result_gate){
		.phase = mem_text(gate->phase),
		.metric = mem_text(plan_metric_names[gate->metric]),
		.of = mem_text(plan_of_names[gate->of]),
		.who = who,
		.trial = trial,
		.limit = limit_text(gate),
		.value = value,
		.state = mem_text(judge(gate, value)),
	};
}

static void hold_host(struct result *result, const struct plan_gate *gate,
		      const struct result_phase *phase, const struct result_phase_host *host)
{
	bool whole = window_host_is_complete(host);

	if (gate->of == PLAN_OF_HOST) {
		add_row(result, gate, phase->trial, mem_text(host->host),
			whole ? host_value(phase, host, gate->metric) : NAN);
		return;
	}
	for (uint32_t t = 0; t < host->targets_count; t++)
		add_row(result, gate, phase->trial,
			mem_format("%s:%s", host->host, host->targets[t].target),
			whole ? target_value(&host->targets[t], gate->metric) : NAN);
}

static void hold(struct result *result, const struct plan_gate *gate,
		 const struct result_phase *phase)
{
	if (gate->of == PLAN_OF_FLEET) {
		add_row(result, gate, phase->trial, mem_text("fleet"),
			fleet_value(phase, gate->metric));
		return;
	}
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		hold_host(result, gate, phase, &phase->hosts[h]);
}

static void hold_all(struct result *result, const struct plan_gate *gate)
{
	uint32_t before = result->gates_count;

	for (uint32_t p = 0; p < result->phases_count; p++)
		if (text_is(result->phases[p].name, gate->phase))
			hold(result, gate, &result->phases[p]);
	if (result->gates_count == before)
		add_row(result, gate, 1, mem_text("fleet"), NAN);
}

/* ---- errors that a gate allows ---- */

static bool covers(const struct result_gate *row, const struct result_finding *finding)
{
	if (!text_is(row->metric, "errors") || !text_is(row->phase, finding->phase) ||
	    row->trial != finding->trial)
		return false;
	if (text_is(row->of, "fleet"))
		return true;
	if (text_is(row->of, "host"))
		return text_is(row->who, finding->host);
	char *who = mem_format("%s:%s", finding->host ? finding->host : "",
			       finding->target ? finding->target : "");
	bool same = text_is(row->who, who);
	free(who);
	return same;
}

static bool are_allowed(const struct result *result, const struct result_finding *finding)
{
	bool allowed = false;

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *row = &result->gates[g];
		if (!covers(row, finding))
			continue;
		if (!text_is(row->state, "PASS"))
			return false;
		if (strstr(row->limit, "at_most"))
			allowed = true;
	}
	return allowed;
}

static void allow_errors(struct result *result)
{
	for (uint32_t f = 0; f < result->findings_count; f++) {
		struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->code, "IO_ERRORS") || !are_allowed(result, finding))
			continue;
		free(finding->level);
		finding->level = mem_text("NOTE");
		free(finding->advice);
		finding->advice = mem_text("a gate on errors allows as many");
	}
}

void gates_compute(struct result *result)
{
	for (uint32_t g = 0; result->plan && g < result->plan->gates_count; g++)
		hold_all(result, &result->plan->gates[g]);
	allow_errors(result);
}

/* ---- the outcome ---- */

/* The one that tells most: a lost host makes the others abort, and makes windows short. */
static const struct result_finding *first_invalid(const struct result *result, uint32_t *count)
{
	static const char *const telling[] = {"HOST_LOST", "INTERRUPTED", NULL};
	const struct result_finding *first = NULL;
	size_t rank = 0, least = SIZE_MAX;

	*count = 0;
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->level, "INVALID") && !text_is(finding->level, "REFUSE"))
			continue;
		(*count)++;
		for (rank = 0; telling[rank] && !text_is(telling[rank], finding->code); rank++)
			;
		if (rank < least) {
			least = rank;
			first = finding;
		}
	}
	return first;
}

static char *invalid_reason(const struct result_finding *finding, uint32_t count)
{
	char *place = findings_place(finding);
	char *reason = count > 1
			       ? mem_format("%s, %s: %s; %u more %s it invalid", finding->code,
					    place, finding->evidence, count - 1,
					    count == 2 ? "finding makes" : "findings make")
			       : mem_format("%s, %s: %s", finding->code, place, finding->evidence);

	free(place);
	return reason;
}

static const struct result_gate *first_gate(const struct result *result, const char *state,
					    uint32_t *count)
{
	const struct result_gate *first = NULL;

	*count = 0;
	for (uint32_t g = 0; g < result->gates_count; g++)
		if (text_is(result->gates[g].state, state) && !(*count)++)
			first = &result->gates[g];
	return first;
}

/* `what` is said of the other rows of that state. */
static char *gate_reason(const struct result_gate *gate, uint32_t count, const char *what)
{
	char value[UNITS_TEXT_SIZE], others[64] = "";

	if (count > 1)
		snprintf(others, sizeof(others), "; %u more %s %s", count - 1,
			 count == 2 ? "gate" : "gates", what);
	return mem_format("%s of %s in phase '%s' is %s, the gate says %s%s", gate->metric,
			  gate->who, gate->phase, gates_format_value(value, gate), gate->limit,
			  others);
}

static enum result_outcome decide(const struct result *result, char **reason)
{
	uint32_t count;
	const struct result_finding *finding = first_invalid(result, &count);

	if (finding) {
		*reason = invalid_reason(finding, count);
		return RESULT_OUTCOME_INVALID;
	}
	if (!result->phases_count && !result->facts) {
		*reason = mem_text("no phase was measured");
		return RESULT_OUTCOME_INVALID;
	}
	const struct result_gate *gate = first_gate(result, "INVALID", &count);
	if (gate) {
		*reason = gate_reason(gate, count, "not measured");
		return RESULT_OUTCOME_INVALID;
	}
	gate = first_gate(result, "FAIL", &count);
	if (gate) {
		*reason = gate_reason(gate, count, count == 2 ? "does not hold" : "do not hold");
		return RESULT_OUTCOME_FAIL;
	}
	return RESULT_OUTCOME_PASS;
}

enum result_outcome gates_outcome(struct result *result)
{
	char *reason = NULL;
	int standing =
		result->outcome ? record_enum_find(result_outcome_names, result->outcome) : -1;

	if (standing >= 0)
		return (enum result_outcome)standing;
	enum result_outcome outcome = decide(result, &reason);
	free(result->outcome);
	result->outcome = mem_text(result_outcome_names[outcome]);
	free(result->reason);
	result->reason = reason;
	return outcome;
}

/* ---- for people ---- */

/* The unit that the limit begins with, after its number: "MB" of "at_least 800 MB/s". The power of
 * 1000 or 1024, and which; 0 where it is written in bytes. */
static uint32_t unit_power(const char *limit, bool *is_decimal)
{
	static const char letters[] = "kMGT";
	size_t number = strcspn(limit, "0123456789");
	const char *unit = limit + number;

	unit += strspn(unit, "0123456789. ");
	const char *letter = *unit == 'K' ? letters : *unit ? strchr(letters, *unit) : NULL;
	*is_decimal = letter && unit[1] == 'B';
	return letter ? (uint32_t)(letter - letters) + 1 : 0;
}

static char *format_like(char text[UNITS_TEXT_SIZE], double bytes_per_s, const char *limit)
{
	static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB"};
	static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	bool is_decimal;
	uint32_t power = unit_power(limit, &is_decimal);

	if (!power)
		return units_format_rate(text, bytes_per_s);
	double value = bytes_per_s / pow(is_decimal ? 1000 : 1024, power);
	snprintf(text, UNITS_TEXT_SIZE, "%.*f %s/s",
		 value >= 100  ? 1
		 : value >= 10 ? 2
			       : 3,
		 value, (is_decimal ? decimal : binary)[power]);
	return text;
}

char *gates_format_value(char text[UNITS_TEXT_SIZE], const struct result_gate *gate)
{
	if (isnan(gate->value)) {
		snprintf(text, UNITS_TEXT_SIZE, "not measured");
		return text;
	}
	if (text_is(gate->metric, "spread")) {
		snprintf(text, UNITS_TEXT_SIZE, "%.1f %%", gate->value);
		return text;
	}
	if (!text_is(gate->metric, "throughput")) {
		/* A rate of 99.6 does not reach 100, and must not look as if it did. */
		snprintf(text, UNITS_TEXT_SIZE, "%.*f", text_is(gate->metric, "iops") ? 1 : 0,
			 gate->value);
		return text;
	}
	return format_like(text, gate->value, gate->limit ? gate->limit : "");
}
