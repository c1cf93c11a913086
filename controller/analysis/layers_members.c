/* Parts of a stripe, mirror or controller held against each other: each against the median of the
 * others, not by MAD, which is for hosts. In the phase that runs them together, or where there is
 * none in those that run each alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/layers_inside.h"
#include "controller/analysis/outlier.h"

#define LEAST_MEMBERS 3
#define SLOW_BELOW    0.80
#define SPREAD_BELOW  0.90
#define NAMED_MOST    8

/* The members of one target on one host, and the phases that say what each does. */
struct members {
	const char *of; /* the target */
	const struct name *names;
	uint32_t count;
	const struct result_phase **phases; /* of each */
	const char *how;                    /* "together", "alone" */
};

double layers_target_rate(const struct result_phase_host *host, const char *target)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (text_is(host->targets[t].target, target))
			return host->targets[t].throughput_bytes_per_s;
	return NAN;
}

static void report_slow(struct result *result, const struct members *members, uint32_t host,
			uint32_t slow, double rate, const struct outlier *verdict)
{
	char own[UNITS_TEXT_SIZE], median[UNITS_TEXT_SIZE];
	const struct result_phase *phase = members->phases[slow];
	struct result_finding *finding = findings_add(
		result, "SLOW_MEMBER", NULL, phase, phase->hosts[host].host,
		members->names[slow].name, NULL,
		"%s it moved %s, %.0f %% of the median of the %u others of '%s', %s", members->how,
		units_format_rate(own, rate), 100 * verdict->ratio, members->count - 1, members->of,
		units_format_rate(median, verdict->median));

	findings_figure(finding, "member_bytes_per_s", rate);
	findings_figure(finding, "median_of_others_bytes_per_s", verdict->median);
	findings_figure(finding, "ratio", verdict->ratio);
}

/* "'d6' and 'd7'" of those below, the caller's to free. */
static char *name_below(const struct members *members, const struct outlier *verdicts,
			uint32_t below)
{
	char *text = mem_text("");
	uint32_t named = 0;

	for (uint32_t i = 0; i < members->count && named < NAMED_MOST; i++) {
		if (!(verdicts[i].ratio < SPREAD_BELOW))
			continue;
		const char *before = !named++ ? "" : named < below ? ", " : " and ";
		char *longer = mem_format("%s%s'%s'", text, before, members->names[i].name);
		free(text);
		text = longer;
	}
	return text;
}

static void report_spread(struct result *result, const struct members *members, uint32_t host,
			  const double *rates, const struct outlier *verdicts)
{
	uint32_t slowest = 0, fastest = 0, below = 0;
	char least[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	for (uint32_t i = 0; i < members->count; i++) {
		below += verdicts[i].ratio < SPREAD_BELOW;
		if (rates[i] < rates[slowest])
			slowest = i;
		if (rates[i] > rates[fastest])
			fastest = i;
	}
	const struct result_phase *phase = members->phases[slowest];
	double spread = (rates[fastest] - rates[slowest]) / rates[fastest];
	char *names = name_below(members, verdicts, below);
	struct result_finding *finding =
		findings_add(result, "MEMBER_SPREAD", NULL, phase, phase->hosts[host].host,
			     members->names[slowest].name, NULL,
			     "%s %u of the %u members of '%s', %s, moved 80 to 90 %% of the median "
			     "of the others; "
			     "the slowest is '%s', %s, the fastest '%s', %s: %.1f %% less",
			     members->how, below, members->count, members->of, names,
			     members->names[slowest].name, units_format_rate(least, rates[slowest]),
			     members->names[fastest].name, units_format_rate(most, rates[fastest]),
			     100 * spread);

	findings_figure(finding, "spread", spread);
	findings_figure(finding, "members_below", below);
	free(names);
}

static void check_host(struct result *result, const struct members *members, uint32_t host)
{
	double *rates = mem_new(members->count, sizeof(*rates));
	struct outlier *verdicts = mem_new(members->count, sizeof(*verdicts));
	bool are_known = true, any_slow = false, any_below = false;

	for (uint32_t i = 0; i < members->count; i++) {
		rates[i] = layers_target_rate(&members->phases[i]->hosts[host],
					      members->names[i].name);
		are_known &= rates[i] > 0;
	}
	if (are_known)
		outlier_find(rates, members->count, verdicts);
	for (uint32_t i = 0; are_known && i < members->count; i++) {
		any_below |= verdicts[i].ratio < SPREAD_BELOW;
		if (!(verdicts[i].ratio < SLOW_BELOW))
			continue;
		any_slow = true;
		report_slow(result, members, host, i, rates[i], &verdicts[i]);
	}
	if (any_below && !any_slow)
		report_spread(result, members, host, rates, verdicts);
	free(verdicts);
	free(rates);
}

static void check_hosts(struct result *result, const struct members *members)
{
	for (uint32_t h = 0; h < members->phases[0]->hosts_count; h++)
		check_host(result, members, h);
}

/* In each phase that runs all of them; answers whether there is one. */
static bool check_together(struct result *result, const struct trial *trial,
			   struct members *members)
{
	bool any = false;

	members->how = "beside the others";
	for (uint32_t p = 0; p < trial->count; p++) {
		const struct measured *m = &trial->phases[p];
		if (!m->is_sound || !layers_is_on(m->asked, members->names, members->count))
			continue;
		for (uint32_t i = 0; i < members->count; i++)
			members->phases[i] = m->got;
		check_hosts(result, members);
		any = true;
	}
	return any;
}

/* Each in a phase of its own that asks for the same, once for each way of asking. */
static void check_alone(struct result *result, const struct trial *trial, struct members *members)
{
	struct parts parts;

	members->how = "alone";
	for (uint32_t p = 0; p < trial->count; p++) {
		const struct measured *m = &trial->phases[p];
		if (!m->is_sound || !layers_is_on(m->asked, members->names, 1) ||
		    !layers_parts_find(&parts, trial, m->asked, true, members->names,
				       members->count))
			continue;
		for (uint32_t i = 0; i < members->count; i++)
			members->phases[i] = parts.alone[i]->got;
		check_hosts(result, members);
		free(parts.alone);
	}
}

static struct members members_of(const struct target *target)
{
	bool is_stripe = target->stripe_count > 0;

	return (struct members){
		.of = target->name,
		.names = is_stripe ? target->stripe : target->members,
		.count = is_stripe ? target->stripe_count : target->members_count,
	};
}

/* Two targets may stand on the same members, which are judged once. */
static bool is_known(const struct plan *plan, uint32_t index, const struct members *members)
{
	for (uint32_t t = 0; t < index; t++) {
		struct members other = members_of(&plan->targets[t]);
		bool same = other.count == members->count;
		for (uint32_t i = 0; same && i < other.count; i++)
			same = text_is(other.names[i].name, members->names[i].name);
		if (same)
			return true;
	}
	return false;
}

void layers_members_check(struct result *result, const struct trial *trial)
{
	for (uint32_t t = 0; t < result->plan->targets_count; t++) {
		struct members members = members_of(&result->plan->targets[t]);
		if (members.count < LEAST_MEMBERS || is_known(result->plan, t, &members))
			continue;
		members.phases = mem_new(members.count, sizeof(*members.phases));
		if (!check_together(result, trial, &members))
			check_alone(result, trial, &members);
		free(members.phases);
	}
}
