#include "controller/analysis/clock_findings.h"

#include <stddef.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"

/* First start to last end of the phase on any host; 0: nothing was done. */
static uint64_t end_of(const struct result_phase *phase)
{
	uint64_t end = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t w = 0; w < phase->hosts[h].workers_count; w++)
			if (phase->hosts[h].workers[w].last_completion_ns > end)
				end = phase->hosts[h].workers[w].last_completion_ns;
	return end;
}

/* What moves theta: a proven cut, and a sleep that the agent told of. */
static bool is_step(const struct result_disruption *disruption)
{
	return text_is(disruption->kind, "cut") || text_is(disruption->kind, "suspend");
}

static void check_steps(struct result *result, const struct result_phase *phase,
			const struct result_phase_host *host)
{
	const struct result_host *about =
		result_find_host(result, (uint32_t)(host - phase->hosts), host->host);
	const struct result_clock *clock = about ? &about->clock : NULL;
	uint64_t end = end_of(phase);
	char from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE], amount[UNITS_TEXT_SIZE];

	for (uint32_t d = 0; clock && d < clock->disruptions_count; d++) {
		const struct result_disruption *step = &clock->disruptions[d];
		if (!is_step(step) || step->to_ns < phase->start_ns || step->from_ns > end)
			continue;
		bool slept = text_is(step->kind, "suspend");
		struct result_finding *finding = findings_add(
			result, slept ? "SUSPEND_DETECTED" : "CLOCK_STEP", NULL, phase, host->host,
			NULL, NULL,
			"the host's clock jumped by %s between %s and %s into the run; %u of its "
			"buckets are flagged, the other hosts' stand",
			units_format_ns(amount, (double)step->amount_ns),
			units_format_ns(from, (double)step->from_ns),
			units_format_ns(to, (double)step->to_ns), host->edges.disrupted);
		findings_figure(finding, "jump_ns", (double)step->amount_ns);
		findings_figure(finding, "disrupted_buckets", host->edges.disrupted);
	}
}

static void check_bound(struct result *result, const struct result_phase *phase,
			const struct result_phase_host *host)
{
	char bound[UNITS_TEXT_SIZE], bucket[UNITS_TEXT_SIZE];

	if (host->edges.bound_ns <= phase->bucket_ns)
		return;
	units_format_ns(bucket, (double)phase->bucket_ns);
	if (host->edges.bound_ns >= INT64_MAX)
		findings_add(result, "CLOCK_UNCERTAIN", NULL, phase, host->host, NULL, NULL,
			     "nothing is known of the host's clock in a part of the phase, whose "
			     "buckets are %s wide",
			     bucket);
	else
		findings_figure(
			findings_add(result, "CLOCK_UNCERTAIN", NULL, phase, host->host, NULL, NULL,
				     "the host's buckets of %s are known within %s only", bucket,
				     units_format_ns(bound, (double)host->edges.bound_ns)),
			"bound_ns", (double)host->edges.bound_ns);
}

static void check_skew(struct result *result, const struct result_phase *phase)
{
	uint64_t most = result->plan ? result->plan->max_start_skew : 0;
	char skew[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE], late[UNITS_TEXT_SIZE] = "";
	const struct result_late *latest = phase->late_count ? &phase->late[0] : NULL;

	if (!most || phase->start_skew_ns <= most)
		return;
	struct result_finding *finding = findings_add(
		result, "START_SKEW", NULL, phase, latest ? latest->host : NULL,
		latest ? latest->target : NULL, NULL,
		"workers began %s apart, more than max_start_skew, %s%s%s",
		units_format_ns(skew, (double)phase->start_skew_ns),
		units_format_ns(limit, (double)most), latest ? "; the latest came after " : "",
		latest ? units_format_ns(late, (double)latest->late_ns) : "");
	findings_figure(finding, "start_skew_ns", (double)phase->start_skew_ns);
	findings_figure(finding, "max_start_skew_ns", (double)most);
}

void clock_findings_compute(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		check_skew(result, phase);
		for (uint32_t h = 0; h < phase->hosts_count; h++) {
			check_steps(result, phase, &phase->hosts[h]);
			check_bound(result, phase, &phase->hosts[h]);
		}
	}
}
