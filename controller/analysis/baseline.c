#include "controller/analysis/baseline.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/stats.h"

/* ---- may it be one ---- */

static const struct phase *find_phase(const struct plan *plan, const char *name)
{
	for (uint32_t p = 0; plan && p < plan->phases_count; p++)
		if (text_is(plan->phases[p].name, name))
			return &plan->phases[p];
	return NULL;
}

/* What the two ask for differently; NULL: nothing that matters. */
static const char *difference(const struct phase *a, const struct phase *b)
{
	const struct {
		const char *key;
		bool differs;
	} rows[] = {
		{"op", a->op != b->op},
		{"access", a->access != b->access},
		{"block_size", !phase_blocks_are_alike(a, b)},
		{"rate", !phase_rates_are_alike(a, b)},
		{"read_percent", a->op == PHASE_OP_MIXED && a->read_percent != b->read_percent},
		{"workers", a->workers != b->workers},
		{"number of targets", a->targets_count != b->targets_count},
		{"queue_depth", a->queue_depth != b->queue_depth},
		{"direct", a->direct != b->direct},
		{"runtime (one has it, the other moves a fixed amount)",
		 !a->runtime != !b->runtime},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].differs)
			return rows[i].key;
	return NULL;
}

static const struct result_finding *standing(const struct result *baseline, const char *phase)
{
	for (uint32_t f = 0; f < baseline->findings_count; f++) {
		const struct result_finding *finding = &baseline->findings[f];
		if ((!finding->phase || text_is(finding->phase, phase)) &&
		    (text_is(finding->level, "INVALID") || text_is(finding->code, "NOT_STEADY")))
			return finding;
	}
	return NULL;
}

static bool was_run(const struct result *baseline, const char *phase)
{
	for (uint32_t p = 0; p < baseline->phases_count; p++)
		if (text_is(baseline->phases[p].name, phase) && baseline->phases[p].cluster)
			return true;
	return false;
}

static int check_phase(const struct plan *plan, const struct result *baseline, uint32_t gate,
		       struct error *err)
{
	const char *name = plan->gates[gate].phase;
	const struct phase *now = find_phase(plan, name);
	const struct phase *then = find_phase(baseline->plan, name);
	const struct result_finding *finding = standing(baseline, name);
	const char *key = now && then ? difference(now, then) : NULL;

	if (!then || !was_run(baseline, name)) {
		error_set(err, ERROR_USAGE,
			  "gates[%u]: the baseline, run %s, has no whole phase '%s'", gate,
			  text_or(baseline->run, "?"), name);
		return -1;
	}
	if (key) {
		error_set(err, ERROR_USAGE,
			  "gates[%u]: phase '%s' of the baseline, run %s, asked for another %s: "
			  "the two say nothing about each other",
			  gate, name, text_or(baseline->run, "?"), key);
		return -1;
	}
	if (finding) {
		char *place = findings_place(finding);
		error_set(err, ERROR_USAGE,
			  "gates[%u]: run %s is no baseline for phase '%s': %s, %s: %s", gate,
			  text_or(baseline->run, "?"), name, text_or(finding->code, "?"), place,
			  text_or(finding->evidence, ""));
		free(place);
		return -1;
	}
	return 0;
}

int baseline_check_use(const struct plan *plan, const char *path, struct error *err)
{
	if (plan && plan_has_baseline(plan))
		return 0;
	error_set(
		err, ERROR_USAGE,
		"no gate of the plan is against a baseline, so --baseline '%s' would say nothing: "
		"give one 'against: baseline'",
		path);
	return -1;
}

int baseline_check(const struct plan *plan, const struct result *baseline, struct error *err)
{
	for (uint32_t g = 0; g < plan->gates_count; g++)
		if (text_is(plan->gates[g].against, PLAN_BASELINE) &&
		    check_phase(plan, baseline, g, err) < 0)
			return -1;
	return 0;
}

void baseline_note(struct result *result, const struct result *baseline)
{
	for (uint32_t f = 0; f < baseline->findings_count; f++)
		if (text_is(baseline->findings[f].code, "OTHER_BUILD"))
			findings_add(result, "OTHER_BUILD", NULL, NULL, NULL, NULL, NULL,
				     "the baseline, run %s: %s", text_or(baseline->run, "?"),
				     text_or(baseline->findings[f].evidence, ""));
}

/* ---- figures ---- */

static int find_host(const struct result_phase *phase, const char *name)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (text_is(phase->hosts[h].host, name))
			return (int)h;
	return -1;
}

static int find_target(const struct result_phase_host *host, const char *name)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (text_is(host->targets[t].target, name))
			return (int)t;
	return -1;
}

/* NAN: this trial has none. */
static double trial_figure(const struct result *baseline, const struct result_phase *phase,
			   const char *host, const char *target, enum plan_metric metric)
{
	int h = host ? find_host(phase, host) : 0;
	int t = target && h >= 0 ? find_target(&phase->hosts[h], target) : 0;
	struct gate_scope scope = {.result = baseline,
				   .phase = phase,
				   .of = target ? PLAN_OF_TARGET
					 : host ? PLAN_OF_HOST
						: PLAN_OF_FLEET};

	if (!phase->cluster || h < 0 || t < 0)
		return NAN;
	scope.host = (uint32_t)h;
	scope.target = (uint32_t)t;
	return gate_figure(&scope, metric).value;
}

/* What all hosts did together is no less for a fleet that has become smaller. */
static bool had_as_many_hosts(const struct result *baseline, const struct result_phase *now)
{
	for (uint32_t p = 0; p < baseline->phases_count; p++)
		if (text_is(baseline->phases[p].name, now->name) &&
		    baseline->phases[p].hosts_count != now->hosts_count)
			return false;
	return true;
}

bool baseline_is_comparable(const struct result *baseline, const struct result_phase *now,
			    enum plan_metric metric)
{
	bool adds = metric == PLAN_METRIC_THROUGHPUT || metric == PLAN_METRIC_IOPS;

	return !adds || had_as_many_hosts(baseline, now);
}

struct gate_figure baseline_figure(const struct result *baseline, const char *phase,
				   const char *host, const char *target, enum plan_metric metric)
{
	struct gate_figure figure = {.value = NAN, .low = NAN, .high = NAN};
	double *values = mem_new(baseline->phases_count, sizeof(*values));
	uint32_t count = 0;

	for (uint32_t p = 0; p < baseline->phases_count; p++) {
		if (!text_is(baseline->phases[p].name, phase))
			continue;
		values[count] = trial_figure(baseline, &baseline->phases[p], host, target, metric);
		count += !isnan(values[count]);
	}
	if (count)
		figure.value = stats_median(values, count);
	else
		figure.lack = "the baseline has no such figure";
	free(values);
	return figure;
}
