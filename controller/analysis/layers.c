#include "controller/analysis/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/layers_inside.h"
#include "controller/analysis/measured.h"

#define FLEET         LAYERS_FLEET
#define UNEQUAL_PARTS 0.90 /* slowest of fastest: below, the slowest is named */

const char *layers_level(double share)
{
	return share < LAYERS_WARN_BELOW ? "WARN" : share < LAYERS_NOTE_BELOW ? "NOTE" : NULL;
}

/* ---- which phases belong together ---- */

static bool are_alike(const struct phase *a, const struct phase *b)
{
	return a->op == b->op && a->access == b->access && a->coverage == b->coverage &&
	       phase_blocks_are_alike(a, b) && a->read_percent == b->read_percent &&
	       a->direct == b->direct && phase_rates_are_alike(a, b) && !a->runtime == !b->runtime;
}

bool layers_are_as_deep(const struct phase *a, const struct phase *b)
{
	return a->workers == b->workers && a->queue_depth == b->queue_depth;
}

static bool has_name(const struct name *names, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (text_is(names[i].name, name))
			return true;
	return false;
}

bool layers_is_on(const struct phase *phase, const struct name *names, uint32_t count)
{
	if (phase->targets_count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!has_name(phase->targets, phase->targets_count, names[i].name))
			return false;
	return true;
}

/* The sound phase on just these targets that asks for what `like` does; NULL: there is none. */
static const struct measured *find(const struct trial *trial, const struct phase *like,
				   bool as_deep, const struct name *names, uint32_t count)
{
	for (uint32_t p = 0; p < trial->count; p++) {
		const struct measured *m = &trial->phases[p];
		if (m->is_sound && are_alike(m->asked, like) &&
		    (!as_deep || layers_are_as_deep(m->asked, like)) &&
		    layers_is_on(m->asked, names, count))
			return m;
	}
	return NULL;
}

/* ---- figures ---- */

static double rate_of(const struct measured *m, uint32_t host)
{
	return host == FLEET ? measured_rate(m->got) : measured_host_rate(m->got, host);
}

bool layers_parts_find(struct parts *parts, const struct trial *trial, const struct phase *like,
		       bool as_deep, const struct name *names, uint32_t count)
{
	*parts = (struct parts){
		.alone = mem_new(count, sizeof(*parts->alone)), .names = names, .count = count};
	for (uint32_t i = 0; i < count; i++) {
		parts->alone[i] = find(trial, like, as_deep, &names[i], 1);
		if (parts->alone[i])
			continue;
		free(parts->alone);
		return false;
	}
	return true;
}

static double parts_sum(const struct parts *parts, uint32_t host)
{
	double sum = 0;

	for (uint32_t i = 0; i < parts->count; i++)
		sum += rate_of(parts->alone[i], host);
	return sum;
}

/* "'perc0' 800 MiB/s and 'perc1' 500 MiB/s", the caller's to free. */
static char *parts_describe(const struct parts *parts, uint32_t host)
{
	char *text = mem_text(""), rate[UNITS_TEXT_SIZE];

	for (uint32_t i = 0; i < parts->count; i++) {
		const char *before = !i ? "" : i + 1 < parts->count ? ", " : " and ";
		char *longer = mem_format("%s%s'%s' %s", text, before, parts->names[i].name,
					  units_format_rate(rate, rate_of(parts->alone[i], host)));
		free(text);
		text = longer;
	}
	return text;
}

/* ---- rules ---- */

struct comparison {
	struct result *result;
	const struct measured *whole, *together; /* together may be NULL: the sum of the parts */
	const struct parts *parts;               /* NULL: not measured by themselves */
};

typedef void reporter(const struct comparison *c, uint32_t host, const char *level);

static double share_of(const struct comparison *c, uint32_t host)
{
	double against = c->together ? rate_of(c->together, host) : parts_sum(c->parts, host);

	return against > 0 ? rate_of(c->whole, host) / against : NAN;
}

static void report_shared(const struct comparison *c, uint32_t host, const char *level)
{
	const struct result_phase *phase = c->whole->got;
	char *alone = parts_describe(c->parts, host), together[UNITS_TEXT_SIZE];
	char sum[UNITS_TEXT_SIZE];

	struct result_finding *finding = findings_add(
		c->result, "SHARED_LIMIT", level, phase,
		host == FLEET ? NULL : phase->hosts[host].host, NULL, NULL,
		"together the targets move %s, alone %s, which is %s: %.0f %% of that",
		units_format_rate(together, rate_of(c->whole, host)), alone,
		units_format_rate(sum, parts_sum(c->parts, host)), 100 * share_of(c, host));
	findings_figure(finding, "together_bytes_per_s", rate_of(c->whole, host));
	findings_figure(finding, "sum_of_alone_bytes_per_s", parts_sum(c->parts, host));
	findings_figure(finding, "share", share_of(c, host));
	free(alone);
}

/* A target with parts, and what its parts did. */
struct whole {
	struct comparison comparison; /* first: a reporter is given this */
	struct parts parts;
	bool has_parts; /* each by itself */
	const struct name *names;
	uint32_t count;
};

/* What the part did, alone or beside the others. */
static double part_rate(const struct whole *whole, uint32_t part, uint32_t host)
{
	double sum = 0;

	if (whole->has_parts)
		return rate_of(whole->parts.alone[part], host);
	const struct result_phase *phase = whole->comparison.together->got;
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (host == FLEET || host == h)
			sum += layers_target_rate(&phase->hosts[h], whole->names[part].name);
	return sum;
}

/* "" where its parts are alike, else what its slowest part allows. */
static char *describe_culprit(const struct whole *whole, uint32_t host)
{
	uint32_t slowest = 0;
	double fastest = 0, least = INFINITY;
	char rate[UNITS_TEXT_SIZE];

	for (uint32_t i = 0; i < whole->count; i++) {
		double own = part_rate(whole, i, host);
		fastest = fmax(fastest, own);
		if (own < least) {
			least = own;
			slowest = i;
		}
	}
	if (!(least < UNEQUAL_PARTS * fastest))
		return mem_text("");
	return mem_format("; a stripe is as fast as %u times its slowest part, '%s': %s",
			  whole->count, whole->names[slowest].name,
			  units_format_rate(rate, least * whole->count));
}

static void report_stripe(const struct comparison *c, uint32_t host, const char *level)
{
	const struct result_phase *phase = c->whole->got;
	char is[UNITS_TEXT_SIZE], against[UNITS_TEXT_SIZE];
	char *culprit = describe_culprit((const struct whole *)c, host);
	double reference = c->together ? rate_of(c->together, host) : parts_sum(c->parts, host);

	struct result_finding *finding = findings_add(
		c->result, "STRIPE_LOSS", level, phase,
		host == FLEET ? NULL : phase->hosts[host].host, c->whole->asked->targets[0].name,
		*culprit ? "replace or leave out the slowest part" : NULL,
		"the target moves %s, its parts %s %s: it loses %.0f %%%s",
		units_format_rate(is, rate_of(c->whole, host)),
		c->together ? "together" : "one by one", units_format_rate(against, reference),
		100 * (1 - share_of(c, host)), culprit);
	findings_figure(finding, "whole_bytes_per_s", rate_of(c->whole, host));
	findings_figure(finding,
			c->together ? "parts_together_bytes_per_s" : "sum_of_parts_bytes_per_s",
			reference);
	findings_figure(finding, "efficiency", share_of(c, host));
	free(culprit);
}

/* Answers whether single hosts are so far below that they are to be named. */
static bool compare_hosts(const struct comparison *c, reporter *report)
{
	bool any = false;

	for (uint32_t h = 0; h < c->whole->got->hosts_count; h++) {
		const char *level = layers_level(share_of(c, h));
		if (!text_is(level, "WARN"))
			continue;
		report(c, h, level);
		any = true;
	}
	return any;
}

/* A fleet that is bad as a whole is one finding; in one that is not, some hosts may be. */
static void compare(const struct comparison *c, reporter *report)
{
	const char *level = layers_level(share_of(c, FLEET));
	bool single = c->whole->got->hosts_count == 1;

	if (!single && !text_is(level, "WARN") && compare_hosts(c, report))
		return;
	if (level)
		report(c, single ? 0 : FLEET, level);
}

static void check_shared(struct result *result, const struct trial *trial,
			 const struct measured *together)
{
	const struct phase *asked = together->asked;
	struct parts parts;

	if (asked->targets_count < 2 ||
	    !layers_parts_find(&parts, trial, asked, true, asked->targets, asked->targets_count))
		return;
	compare(&(struct comparison){.result = result, .whole = together, .parts = &parts},
		report_shared);
	free(parts.alone);
}

static const struct target *plan_target(const struct result *result, const char *name)
{
	for (uint32_t t = 0; t < result->plan->targets_count; t++)
		if (text_is(result->plan->targets[t].name, name))
			return &result->plan->targets[t];
	return NULL;
}

/* False, and nothing to release: it has no parts, or they were not measured. */
static bool whole_find(struct whole *whole, const struct result *result, const struct trial *trial,
		       const struct measured *measured)
{
	const struct phase *asked = measured->asked;
	const struct target *target =
		asked->targets_count == 1 ? plan_target(result, asked->targets[0].name) : NULL;

	if (!target || phase_is_paced(asked)) /* a rate says nothing of what it could do */
		return false;
	uint32_t count = target->stripe_count ? target->stripe_count : target->members_count;
	const struct name *names = target->stripe_count ? target->stripe : target->members;
	if (count < 2)
		return false;
	*whole = (struct whole){.names = names, .count = count};
	whole->has_parts = layers_parts_find(&whole->parts, trial, asked, false, names, count);
	whole->comparison = (struct comparison){.whole = measured,
						.together = find(trial, asked, false, names, count),
						.parts = whole->has_parts ? &whole->parts : NULL};
	return whole->comparison.together || whole->has_parts;
}

static void whole_release(struct whole *whole)
{
	if (whole->has_parts)
		free(whole->parts.alone);
}

static void check_stripe(struct result *result, const struct trial *trial,
			 const struct measured *measured)
{
	struct whole whole;

	if (!whole_find(&whole, result, trial, measured))
		return;
	whole.comparison.result = result;
	compare(&whole.comparison, report_stripe);
	whole_release(&whole);
}

/* ---- trials ---- */

static bool does_io(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
			if (text_is(phase->hosts[h].targets[t].io, "none"))
				return false;
	return true;
}

/* Phases from..end are a trial's. Whether each is sound is asked before anything is added. */
static void check_trial(struct result *result, uint32_t from, uint32_t end)
{
	struct trial trial = {.phases = mem_new(end - from, sizeof(*trial.phases))};

	for (uint32_t p = from; p < end; p++) {
		const struct result_phase *phase = &result->phases[p];
		const struct phase *asked = result_plan_phase(result, phase->name);
		if (asked && does_io(phase) &&
		    phase->hosts_count == result->phases[from].hosts_count)
			trial.phases[trial.count++] =
				(struct measured){.asked = asked,
						  .got = phase,
						  .is_sound = measured_is_sound(result, phase)};
	}
	for (uint32_t p = 0; p < trial.count; p++) {
		layers_volumes_check(result, &trial, &trial.phases[p]);
		if (!trial.phases[p].is_sound)
			continue;
		check_shared(result, &trial, &trial.phases[p]);
		check_stripe(result, &trial, &trial.phases[p]);
		layers_read_check(result, &trial, &trial.phases[p]);
	}
	layers_members_check(result, &trial);
	free(trial.phases);
}

/* All phases of the trial that the phase is of. */
static struct trial trial_of(const struct result *result, const struct result_phase *phase)
{
	struct trial trial = {.phases = mem_new(result->phases_count, sizeof(*trial.phases))};

	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *other = &result->phases[p];
		const struct phase *asked = result_plan_phase(result, other->name);
		if (other->trial == phase->trial && asked && does_io(other) &&
		    other->hosts_count == phase->hosts_count)
			trial.phases[trial.count++] =
				(struct measured){.asked = asked,
						  .got = other,
						  .is_sound = measured_is_sound(result, other)};
	}
	return trial;
}

double layers_efficiency(const struct result *result, const struct result_phase *phase,
			 uint32_t host)
{
	struct trial trial = trial_of(result, phase);
	double efficiency = NAN;

	for (uint32_t p = 0; result->plan && p < trial.count; p++) {
		struct whole whole;
		if (trial.phases[p].got != phase || !trial.phases[p].is_sound ||
		    !whole_find(&whole, result, &trial, &trial.phases[p]))
			continue;
		efficiency = share_of(&whole.comparison, host);
		whole_release(&whole);
	}
	free(trial.phases);
	return efficiency;
}

void layers_check(struct result *result)
{
	uint32_t end;

	for (uint32_t from = 0; result->plan && from < result->phases_count; from = end) {
		for (end = from + 1; end < result->phases_count &&
				     result->phases[end].trial == result->phases[from].trial;
		     end++)
			;
		check_trial(result, from, end);
	}
}
