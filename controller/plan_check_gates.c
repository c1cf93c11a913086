#include "controller/plan_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/nearest.h"
#include "common/text.h"

#define PATH_SIZE 64

/* ---- limits ---- */

static bool limit_is_sound(struct plan_check *check, const struct plan_gate *gate,
			   char *const *text, const char *path, const char *name, double *limit)
{
	struct error err = {0};

	if (!*text || plan_limit_parse(plan_gate_unit(gate), *text, limit, &err) == 0)
		return true;
	plan_check_error(check, text, gate, "%s.%s: %s", path, name, err.text);
	return false;
}

static void check_limits(struct plan_check *check, const struct plan_gate *gate, uint32_t index,
			 const char *path)
{
	double least = 0, most = 0, within = 0;

	if (!gate->at_least && !gate->at_most && !gate->within) {
		plan_check_error_in(check, "gates", index,
				    "%s: there is no limit; give at_least, at_most or both%s", path,
				    gate->against ? ", or within" : "");
		return;
	}
	if (!limit_is_sound(check, gate, &gate->at_least, path, "at_least", &least) ||
	    !limit_is_sound(check, gate, &gate->at_most, path, "at_most", &most))
		return;
	if (gate->within && !gate->against)
		plan_check_error(check, &gate->within, gate,
				 "%s.within: it needs 'against', a phase or 'baseline': what it is "
				 "to be within '%.40s' of",
				 path, gate->within);
	else if (gate->within && (gate->at_least || gate->at_most))
		plan_check_error(check, &gate->within, gate,
				 "%s.within: it says both ends; leave out at_least and at_most",
				 path);
	else if (limit_is_sound(check, gate, &gate->within, path, "within", &within) &&
		 gate->at_least && gate->at_most && least > most)
		plan_check_error(check, &gate->at_least, gate,
				 "%s.at_least: '%s' is more than at_most '%s', which nothing can "
				 "be",
				 path, gate->at_least, gate->at_most);
}

/* ---- whose ---- */

/* Of whom each metric can be; what is not here is of all four. */
static const struct {
	enum plan_metric metric;
	bool of[4]; /* by enum plan_of */
	const char *legal;
} scopes[] = {
	{PLAN_METRIC_SPREAD,
	 {[PLAN_OF_FLEET] = true, [PLAN_OF_LABEL] = true},
	 "spread is between hosts, so it is of 'fleet' or 'label'"},
	{PLAN_METRIC_STRIPE_EFFICIENCY,
	 {[PLAN_OF_HOST] = true, [PLAN_OF_FLEET] = true},
	 "stripe_efficiency is of 'host' or 'fleet'"},
	{PLAN_METRIC_START_SKEW,
	 {[PLAN_OF_FLEET] = true},
	 "start_skew is between all workers, so it is of 'fleet'"},
	{PLAN_METRIC_STEADINESS,
	 {[PLAN_OF_HOST] = true, [PLAN_OF_FLEET] = true},
	 "steadiness is of 'host' or 'fleet'"},
};

static bool has_label(const struct plan *plan, const char *name, struct nearest *nearest)
{
	bool found = false;

	for (uint32_t a = 0; a < plan->fleet.agents_count; a++)
		for (uint32_t l = 0; l < plan->fleet.agents[a].labels_count; l++) {
			const char *label = plan->fleet.agents[a].labels[l].name;
			found |= text_is(label, name);
			if (label)
				nearest_try(nearest, label);
		}
	return found;
}

static void check_label(struct plan_check *check, const struct plan_gate *gate, uint32_t index,
			const char *path)
{
	struct nearest nearest = nearest_start(text_or(gate->label, ""));

	if (gate->label && gate->of != PLAN_OF_LABEL)
		plan_check_error(check, &gate->label, gate,
				 "%s.label: it goes with 'of: label', which groups hosts by it",
				 path);
	else if (!gate->label && gate->of == PLAN_OF_LABEL)
		plan_check_error_in(check, "gates", index,
				    "%s: 'of: label' needs 'label': by which the hosts are grouped",
				    path);
	else if (gate->label && !has_label(check->plan, gate->label, &nearest))
		plan_check_error(check, &gate->label, gate,
				 "%s.label: no agent has a label '%.80s'%s%s%s", path, gate->label,
				 nearest.name ? "; nearest is '" : "", text_or(nearest.name, ""),
				 nearest.name ? "'" : "");
}

static void check_whose(struct plan_check *check, const struct plan_gate *gate, uint32_t index,
			const char *path)
{
	for (size_t s = 0; s < sizeof(scopes) / sizeof(scopes[0]); s++)
		if (scopes[s].metric == gate->metric && !scopes[s].of[gate->of])
			plan_check_error(check, &gate->of, gate, "%s.of: %s", path,
					 scopes[s].legal);
	check_label(check, gate, index, path);
}

/* ---- against what ---- */

static bool is_comparable(enum plan_metric metric)
{
	return metric == PLAN_METRIC_THROUGHPUT || metric == PLAN_METRIC_IOPS ||
	       plan_metric_is_latency(metric);
}

static bool is_known(const char *phase, const char *const *phases, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (text_is(phases[i], phase))
			return true;
	return false;
}

static void check_against(struct plan_check *check, const struct plan_gate *gate, const char *path,
			  const char *const *phases)
{
	uint32_t count = check->plan->phases_count;
	bool is_baseline = text_is(gate->against, PLAN_BASELINE);
	char hint[PLAN_CHECK_HINT];

	if (!gate->against)
		return;
	if (!is_comparable(gate->metric))
		plan_check_error(check, &gate->against, gate,
				 "%s.against: of %s there is no ratio; wanted is throughput, iops "
				 "or a latency",
				 path, plan_metric_names[gate->metric]);
	else if (is_baseline && is_known(gate->against, phases, count))
		plan_check_error(check, &gate->against, gate,
				 "%s.against: is that the phase 'baseline' or the run of "
				 "--baseline? Give the phase another name",
				 path);
	else if (is_baseline && gate->of == PLAN_OF_LABEL)
		plan_check_error(check, &gate->against, gate,
				 "%s.against: with 'baseline', of is host, target or fleet", path);
	else if (text_is(gate->against, gate->phase))
		plan_check_error(check, &gate->against, gate,
				 "%s.against: a phase is always 100 %% of itself", path);
	else if (!is_baseline && count > 0 && !is_known(gate->against, phases, count))
		plan_check_error(check, &gate->against, gate,
				 "%s.against: there is no phase '%.80s'%s", path, gate->against,
				 plan_check_hint(hint, gate->against, phases, count));
}

/* ---- stripes ---- */

static const struct target *find_target(const struct plan *plan, const char *name)
{
	for (uint32_t t = 0; t < plan->targets_count; t++)
		if (text_is(plan->targets[t].name, name))
			return &plan->targets[t];
	return NULL;
}

/* That there are parts; whether a phase measures them is known when all have been. */
static void check_stripe(struct plan_check *check, const struct plan_gate *gate, const char *path)
{
	const struct plan *plan = check->plan;

	if (gate->metric != PLAN_METRIC_STRIPE_EFFICIENCY)
		return;
	for (uint32_t p = 0; p < plan->phases_count; p++) {
		const struct phase *phase = &plan->phases[p];
		if (!text_is(phase->name, gate->phase) || !plan_check_is_sound(check, phase) ||
		    !phase->targets_count)
			continue;
		const struct target *target = find_target(plan, phase->targets[0].name);
		if (phase->targets_count > 1 ||
		    (target && target->stripe_count < 2 && target->members_count < 2))
			plan_check_error(check, &gate->metric, gate,
					 "%s.metric: stripe_efficiency is of a phase on one target "
					 "that has parts: a stripe, or one with members",
					 path);
	}
}

/* ---- syncs ---- */

static void check_syncs(struct plan_check *check, const struct plan_gate *gate, const char *path)
{
	const struct plan *plan = check->plan;

	for (uint32_t p = 0; plan_metric_is_of_syncs(gate->metric) && p < plan->phases_count; p++)
		if (text_is(plan->phases[p].name, gate->phase) &&
		    plan_check_is_sound(check, &plan->phases[p]) && !plan->phases[p].sync_every)
			plan_check_error(check, &gate->metric, gate,
					 "%s.metric: %s is of the syncs after sync_every writes, "
					 "and phase '%.80s' has no sync_every",
					 path, plan_metric_names[gate->metric], gate->phase);
}

static void check_gate(struct plan_check *check, uint32_t index, const char *const *phases)
{
	const struct plan *plan = check->plan;
	const struct plan_gate *gate = &plan->gates[index];
	char path[PATH_SIZE], hint[PLAN_CHECK_HINT];

	snprintf(path, sizeof(path), "gates[%u]", index);
	if (gate->phase && plan->phases_count > 0 &&
	    !is_known(gate->phase, phases, plan->phases_count))
		plan_check_error(check, &gate->phase, gate, "%s.phase: there is no phase '%.80s'%s",
				 path, gate->phase,
				 plan_check_hint(hint, gate->phase, phases, plan->phases_count));
	if (!plan_check_is_sound(check, gate))
		return;
	check_whose(check, gate, index, path);
	check_against(check, gate, path, phases);
	check_stripe(check, gate, path);
	check_syncs(check, gate, path);
	check_limits(check, gate, index, path);
}

void plan_check_gates(struct plan_check *check)
{
	const struct plan *plan = check->plan;
	const char **phases = mem_new(plan->phases_count, sizeof(*phases));

	for (uint32_t i = 0; i < plan->phases_count; i++)
		phases[i] = plan->phases[i].name;
	for (uint32_t i = 0; i < plan->gates_count; i++)
		check_gate(check, i, phases);
	free(phases);
}
