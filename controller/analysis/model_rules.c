#include "controller/analysis/model_rules.h"

#include <math.h>
#include <stdio.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/measured.h"
#include "controller/analysis/model.h"
#include "controller/analysis/window.h"

#define EXCEEDS          1.10
#define ABSORBED         3 /* of what the disks do: no disk is that much better than told */
#define BELOW            0.5
#define BELOW_IN_FLIGHT  16
#define LINK_BOUND       0.8 /* of the ceiling: then it is the limit */
#define CONTROLLER_LEAST 0.8 /* of the same targets on another one */

/* ---- phases against the bound ---- */

typedef void holder(struct result *result, const struct result_phase *phase,
		    const struct phase *asked, const struct result_phase_host *host,
		    const struct result_target *target, const struct model_bound *bound);

static void hold_host(struct result *result, const struct result_phase *phase,
		      const struct phase *asked, uint32_t h, holder *hold)
{
	const struct result_phase_host *host = &phase->hosts[h];
	struct known known = known_of(result, result_find_host(result, h, host->host));

	for (uint32_t t = 0; t < host->targets_count; t++) {
		struct model_bound bound =
			model_bound(&known, result->plan, asked, host->targets[t].target);
		if (bound.bytes_per_s > 0)
			hold(result, phase, asked, host, &host->targets[t], &bound);
	}
}

static void hold_all(struct result *result, holder *hold)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		const struct phase *asked = result_plan_phase(result, phase->name);
		for (uint32_t h = 0; asked && h < phase->hosts_count; h++)
			hold_host(result, phase, asked, h, hold);
	}
}

static void add_figures(struct result_finding *finding, double rate, double bound)
{
	findings_figure(finding, "bytes_per_s", rate);
	findings_figure(finding, "ceiling_bytes_per_s", bound);
	findings_figure(finding, "share", rate / bound);
}

static void hold_exceeding(struct result *result, const struct result_phase *phase,
			   const struct phase *asked, const struct result_phase_host *host,
			   const struct result_target *target, const struct model_bound *bound)
{
	char is[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
	double rate = target->throughput_bytes_per_s;

	(void)asked;
	if (!(rate > EXCEEDS * bound->bytes_per_s))
		return;
	struct result_finding *finding =
		findings_add(result, "EXCEEDS_PHYSICAL", NULL, phase, host->host, target->target,
			     NULL, "%s is %.2f times what %s can do, %s",
			     units_format_rate(is, rate), rate / bound->bytes_per_s, bound->what,
			     units_format_rate(most, bound->bytes_per_s));
	add_figures(finding, rate, bound->bytes_per_s);
}

/* Bytes/s of the targets that a link carries, from the first to the last I/O of any of them, which
 * is the least that went over it; `count`: of how many. */
static double rate_over(const struct result_phase *phase, const struct result_phase_host *host,
			const struct fact_link *link, uint32_t *count)
{
	struct window_interval all = {.start_ns = UINT64_MAX};
	uint64_t bytes = 0;

	*count = 0;
	for (uint32_t t = 0; t < host->targets_count; t++) {
		const struct result_target *target = &host->targets[t];
		struct window_interval own = window_target_interval(phase, target);
		if (!model_carries(link, target->target) || own.end_ns <= own.start_ns)
			continue;
		all.start_ns = own.start_ns < all.start_ns ? own.start_ns : all.start_ns;
		all.end_ns = own.end_ns > all.end_ns ? own.end_ns : all.end_ns;
		bytes += target->bytes;
		(*count)++;
	}
	return *count ? window_rate(bytes, all) : NAN;
}

static void hold_below(struct result *result, const struct result_phase *phase,
		       const struct phase *asked, const struct result_phase_host *host,
		       const struct result_target *target, const struct model_bound *bound)
{
	char is[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
	double rate = target->throughput_bytes_per_s;
	uint64_t in_flight = (uint64_t)asked->workers * asked->queue_depth;
	uint32_t carried;

	if (!(rate < BELOW * bound->bytes_per_s) || in_flight < BELOW_IN_FLIGHT ||
	    asked->access != PHASE_ACCESS_SEQUENTIAL || phase_is_paced(asked) ||
	    !measured_is_sound(result, phase) ||
	    (bound->link &&
	     !(rate_over(phase, host, bound->link, &carried) < BELOW * bound->bytes_per_s)))
		return; /* or other targets have the rest of the link */
	struct result_finding *finding =
		findings_add(result, "BELOW_MODEL", NULL, phase, host->host, target->target, NULL,
			     "%s is %.0f %% of what %s can do, %s", units_format_rate(is, rate),
			     100 * rate / bound->bytes_per_s, bound->what,
			     units_format_rate(most, bound->bytes_per_s));
	add_figures(finding, rate, bound->bytes_per_s);
}

/* ---- what shares a link ---- */

/* A host's targets may each be within what a link can do and together be above it. */
static void hold_link(struct result *result, const struct result_phase *phase,
		      const struct result_phase_host *host, const struct fact_link *link)
{
	char is[UNITS_TEXT_SIZE], most_text[UNITS_TEXT_SIZE];
	double most = model_link(link);
	uint32_t count;
	double rate = rate_over(phase, host, link, &count);

	if (count < 2 || !(rate > EXCEEDS * most))
		return;
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (model_carries(link, host->targets[t].target) &&
		    host->targets[t].throughput_bytes_per_s > EXCEEDS * most)
			return; /* it is said of that one */
	struct result_finding *finding = findings_add(
		result, "EXCEEDS_PHYSICAL", NULL, phase, host->host, NULL, NULL,
		"the %u targets on link '%s' move %s together, %.2f times what it can do, %s",
		count, link->link, units_format_rate(is, rate), rate / most,
		units_format_rate(most_text, most));
	add_figures(finding, rate, most);
}

static void hold_links(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		for (uint32_t h = 0; h < result->phases[p].hosts_count; h++) {
			const struct result_phase_host *host = &result->phases[p].hosts[h];
			struct known known =
				known_of(result, result_find_host(result, h, host->host));
			const struct fact_link *link;
			for (uint32_t l = 0; (link = known_link(&known, l)); l++)
				hold_link(result, &result->phases[p], host, link);
		}
}

void model_rules_exceeding(struct result *result)
{
	hold_all(result, hold_exceeding);
	hold_links(result);
}

/* ---- random writes against the disks ---- */

static void check_random(struct result *result, const struct result_phase *phase,
			 const struct phase *asked, uint32_t h)
{
	const struct result_phase_host *host = &phase->hosts[h];
	struct known known = known_of(result, result_find_host(result, h, host->host));

	for (uint32_t t = 0; t < host->targets_count; t++) {
		const struct result_target *target = &host->targets[t];
		double model = model_random(&known, asked, target->target);
		if (!(target->iops > ABSORBED * model))
			continue;
		struct result_finding *finding = findings_add(
			result, "WRITES_ABSORBED", NULL, phase, host->host, target->target, NULL,
			"%.0f random operations a second are %.1f times the %.0f of the disks",
			target->iops, target->iops / model, model);
		findings_figure(finding, "iops", target->iops);
		findings_figure(finding, "model_iops", model);
	}
}

static void check_randoms(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		const struct phase *asked = result_plan_phase(result, phase->name);
		for (uint32_t h = 0; asked && phase_writes(asked) && h < phase->hosts_count; h++)
			check_random(result, phase, asked, h);
	}
}

/* ---- links ---- */

/* The most that went over a link of a host in any phase, NULL: of any host; 0: not known. */
static double most_over(const struct result *result, const char *of, const struct fact_link *link)
{
	double most = 0;

	for (uint32_t p = 0; p < result->phases_count; p++) {
		double sum = 0;
		for (uint32_t h = 0; h < result->phases[p].hosts_count; h++) {
			const struct result_phase_host *host = &result->phases[p].hosts[h];
			double own = 0;
			if (of && !text_is(host->host, of))
				continue;
			for (uint32_t t = 0; t < host->targets_count; t++)
				for (uint32_t k = 0; k < link->targets_count; k++)
					if (text_is(host->targets[t].target,
						    link->targets[k].name) &&
					    host->targets[t].throughput_bytes_per_s > 0)
						own += host->targets[t].throughput_bytes_per_s;
			sum = fmax(sum, own);
		}
		most = fmax(most, sum);
	}
	return most;
}

static void check_link(struct result *result, const char *host, const struct fact_link *link)
{
	bool narrow = link->width < link->width_most;
	bool slow = link->gt_per_s < link->gt_per_s_most;
	char ceiling[UNITS_TEXT_SIZE], use[64] = "", of[UNITS_TEXT_SIZE], ports[48] = "";

	if (!narrow && !slow)
		return;
	double most = model_link(link), share = most_over(result, host, link) / most;
	if (share > 0)
		snprintf(use, sizeof(use), ", used to %.0f %%%s", 100 * share,
			 share >= LINK_BOUND ? ": it is the limit" : "");
	if (most > 0)
		snprintf(of, sizeof(of), "%s", units_format_rate(ceiling, most));
	if (link->ports > 1)
		snprintf(ports, sizeof(ports), " (%u like this)", link->ports);
	struct result_finding *finding = findings_add(
		result, "LINK_DEGRADED", NULL, NULL, host, NULL, NULL,
		"link '%s'%s runs %u of %u lanes at %g of %g %s%s%s%s", link->link, ports,
		link->width, link->width_most ? link->width_most : link->width, link->gt_per_s,
		link->gt_per_s_most > 0 ? link->gt_per_s_most : link->gt_per_s,
		link->mtu ? "Gb/s" : "GT/s", most > 0 ? ": at most " : "", most > 0 ? of : "", use);
	findings_figure(finding, "width", link->width);
	findings_figure(finding, "width_most", link->width_most);
	if (most > 0)
		findings_figure(finding, "ceiling_bytes_per_s", most);
	if (share > 0)
		findings_figure(finding, "use", share);
}

/* ---- controllers ---- */

static bool have_same_targets(const struct phase *a, const struct phase *b)
{
	uint32_t same = 0;

	for (uint32_t i = 0; i < a->targets_count; i++)
		for (uint32_t k = 0; k < b->targets_count; k++)
			same += text_is(a->targets[i].name, b->targets[k].name);
	return a->targets_count == b->targets_count && same == a->targets_count;
}

static bool ask_alike(const struct phase *a, const struct phase *b)
{
	return a->op == b->op && a->access == b->access && a->block_size == b->block_size &&
	       a->workers == b->workers && a->queue_depth == b->queue_depth &&
	       phase_rates_are_alike(a, b) && have_same_targets(a, b);
}

/* The best phase that asks alike through another controller; NULL: none. */
static const struct result_phase *best_elsewhere(const struct result *result, uint32_t index)
{
	const struct result_phase *phase = &result->phases[index], *best = NULL;
	const struct phase *asked = result_plan_phase(result, phase->name);

	for (uint32_t p = 0; asked && p < result->phases_count; p++) {
		const struct result_phase *other = &result->phases[p];
		const struct phase *other_asked = result_plan_phase(result, other->name);
		if (!other->controller || text_is(other->controller, phase->controller) ||
		    !other_asked || !ask_alike(asked, other_asked) ||
		    !measured_is_sound(result, other))
			continue;
		if (!best || measured_rate(other) > measured_rate(best))
			best = other;
	}
	return best;
}

static double ceiling_of(const struct result *result, const char *controller)
{
	struct known known = known_of(result, NULL);
	const struct fact_link *link;

	for (uint32_t l = 0; (link = known_link(&known, l)); l++)
		if (text_is(link->link, controller))
			return model_link(link);
	return NAN;
}

static void check_controller(struct result *result, uint32_t index)
{
	const struct result_phase *phase = &result->phases[index];
	char is[UNITS_TEXT_SIZE], other[UNITS_TEXT_SIZE], of_link[64] = "";

	if (!phase->controller || !measured_is_sound(result, phase))
		return;
	const struct result_phase *best = best_elsewhere(result, index);
	double share = best ? measured_rate(phase) / measured_rate(best) : NAN;
	if (!(share < CONTROLLER_LEAST))
		return;
	double ceiling = ceiling_of(result, phase->controller);
	if (ceiling > 0)
		snprintf(of_link, sizeof(of_link), ", %.1f %% of its link's ceiling",
			 100 * measured_rate(phase) / ceiling);
	struct result_finding *finding = findings_add(
		result, "CONTROLLER_SLOW", NULL, phase, NULL, NULL, NULL,
		"on controller %s the same targets move %s%s; on controller %s %s (phase '%s'): "
		"%.0f %% of that",
		phase->controller, units_format_rate(is, measured_rate(phase)), of_link,
		best->controller, units_format_rate(other, measured_rate(best)), best->name,
		100 * share);
	findings_figure(finding, "share", share);
}

static void check_links(struct result *result)
{
	struct known known = known_of(result, NULL);

	for (uint32_t l = 0; l < known.fleet.links_count; l++)
		check_link(result, NULL, &known.fleet.links[l]);
	for (uint32_t h = 0; h < result->hosts_count; h++) {
		const struct hardware *own = result->hosts[h].expect;
		for (uint32_t l = 0; own && l < own->links_count; l++)
			check_link(result, result->hosts[h].host, &own->links[l]);
	}
}

void model_rules_check(struct result *result)
{
	hold_all(result, hold_below);
	check_randoms(result);
	check_links(result);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_controller(result, p);
}
