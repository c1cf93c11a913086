#include "controller/analysis/host_findings.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/catalogue.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"

#define FROZEN_NS   (3 * NS_PER_S) /* where no plan says suspect_after */
#define PAUSE_NS    NS_PER_S       /* a loaded host makes a thread wait, but not for so long */
#define PAUSED_MOST 0.02           /* of the time: by so much do healthy hosts differ */

/* ---- what became of them ---- */

static void report_lost(struct result *result, const struct result_phase *phase,
			const struct result_phase_host *host)
{
	char into_phase[UNITS_TEXT_SIZE], into_run[UNITS_TEXT_SIZE];
	uint64_t at_ns = host->lost_at_ns;
	const char *why = host->text ? host->text : "it fell silent";
	struct result_finding *finding;

	units_format_ns(into_run, (double)at_ns);
	if (at_ns < phase->start_ns)
		finding = findings_add(
			result, "HOST_LOST", NULL, phase, host->host, NULL, NULL,
			"the host was lost %s into the run, before the phase began: %s", into_run,
			why);
	else
		finding =
			findings_add(result, "HOST_LOST", NULL, phase, host->host, NULL, NULL,
				     "the host was lost %s into the phase, %s into the run: %s",
				     units_format_ns(into_phase, (double)(at_ns - phase->start_ns)),
				     into_run, why);
	findings_figure(finding, "lost_at_ns", (double)at_ns);
}

/* What the agent calls it, where the catalogue knows that. */
static const char *code_of(const struct result_phase_host *host, const char *otherwise)
{
	return catalogue_find(host->code) ? host->code : otherwise;
}

/* A host that refused made the run REFUSED when nothing had been measured by then; the run loop
 * has said so. Later it is a hole in the result like any other. */
static void report_refused(struct result *result, const struct result_phase *phase,
			   const struct result_phase_host *host)
{
	findings_add(result, code_of(host, "HOST_REFUSED"),
		     text_is(result->outcome, "REFUSED") ? "REFUSE" : "INVALID", phase, host->host,
		     NULL, NULL, "the host refused the phase: %s",
		     host->text ? host->text : "it gave no reason");
}

static void report_end(struct result *result, const struct result_phase *phase,
		       const struct result_phase_host *host, const char *code)
{
	char moved[UNITS_TEXT_SIZE];
	uint64_t bytes = 0, wanted = 0;

	findings_add(result, code_of(host, code), "INVALID", phase, host->host, NULL, NULL,
		     "the host's part was %s: %s", host->state,
		     host->text ? host->text : "no reason was given");
	for (uint32_t t = 0; t < host->targets_count; t++) {
		bytes += host->targets[t].bytes;
		wanted += host->targets[t].extent_bytes;
	}
	if (!bytes || !text_is(host->code, "DISK_FULL"))
		return;
	struct result_finding *finding = findings_add(
		result, "PARTIAL", NULL, phase, host->host, NULL, NULL,
		"what it moved until then, %s, is kept with its rates, and is in no total",
		units_format_bytes(moved, bytes));
	findings_figure(finding, "bytes", (double)bytes);
	if (wanted)
		findings_figure(finding, "share", (double)bytes / (double)wanted);
}

/* Of a run that another host refused: nothing was wrong with it. */
static bool is_bystander(const struct result *result, const struct result_phase_host *host)
{
	return text_is(result->outcome, "REFUSED") && text_is(host->state, "aborted");
}

static void check_states(struct result *result, const struct result_phase *phase, const char *state)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (!text_is(host->state, state) || is_bystander(result, host))
			continue;
		if (text_is(state, "lost"))
			report_lost(result, phase, host);
		else if (text_is(state, "refused"))
			report_refused(result, phase, host);
		else if (text_is(state, "broken"))
			report_end(result, phase, host, "HOST_BROKEN");
		else
			report_end(result, phase, host, "HOST_STOPPED");
	}
}

/* ---- hosts that did not run ---- */

/* Times of a second or more in which nothing of the agent ran, within the phase's figures. */
struct pauses {
	uint64_t sum_ns, longest_ns, from_ns;
	uint32_t count;
};

static void add_pause(struct pauses *pauses, uint64_t from_ns, uint64_t to_ns)
{
	pauses->count++;
	pauses->sum_ns += to_ns - from_ns;
	if (to_ns - from_ns > pauses->longest_ns) {
		pauses->longest_ns = to_ns - from_ns;
		pauses->from_ns = from_ns;
	}
}

static struct pauses find_pauses(const struct result_clock *clock, struct window_interval of)
{
	struct pauses pauses = {0};

	for (uint32_t d = 0; d < clock->disruptions_count; d++) {
		const struct result_disruption *gap = &clock->disruptions[d];
		uint64_t from_ns = gap->from_ns > of.start_ns ? gap->from_ns : of.start_ns;
		uint64_t to_ns = gap->to_ns < of.end_ns ? gap->to_ns : of.end_ns;
		if (text_is(gap->kind, "gap") && gap->amount_ns >= (int64_t)PAUSE_NS &&
		    from_ns < to_ns)
			add_pause(&pauses, from_ns, to_ns);
	}
	return pauses;
}

static void report_pauses(struct result *result, const struct result_phase *phase,
			  const struct result_phase_host *host, const struct pauses *pauses,
			  const char *level)
{
	char sum[UNITS_TEXT_SIZE], from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE], times[64] = "";

	if (pauses->count > 1)
		snprintf(times, sizeof(times), "in %u pieces, the longest ", pauses->count);
	struct result_finding *finding = findings_add(
		result, "HOST_FROZEN", level, phase, host->host, NULL, NULL,
		"degraded: the agent itself did not run for %s, %sfrom %s to %s into the run",
		units_format_ns(sum, (double)pauses->sum_ns), times,
		units_format_ns(from, (double)pauses->from_ns),
		units_format_ns(to, (double)(pauses->from_ns + pauses->longest_ns)));
	findings_figure(finding, "frozen_ns", (double)pauses->sum_ns);
	findings_figure(finding, "longest_ns", (double)pauses->longest_ns);
}

/* Busy is not dead: silence alone qualifies, but an agent that did not run for as long has done
 * less than its host could. */
static void check_liveness(struct result *result, const struct result_phase *phase)
{
	uint64_t limit_ns = result->plan ? result->plan->fleet.suspect_after : FROZEN_NS;
	char text[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		const struct result_host *about = result_find_host(result, h, host->host);
		struct window_interval of = window_host_interval(phase, host);
		struct pauses pauses = {0};
		if (about)
			pauses = find_pauses(&about->clock, of);
		/* Its own word, which no exchange need place. */
		if (limit_ns && host->frozen_ns >= limit_ns && pauses.sum_ns < host->frozen_ns)
			pauses = (struct pauses){.count = 1,
						 .sum_ns = host->frozen_ns,
						 .longest_ns = host->frozen_ns,
						 .from_ns = host->frozen_from_ns};
		double most_ns = PAUSED_MOST * (double)(of.end_ns - of.start_ns);
		bool is_much = pauses.sum_ns >= limit_ns || (double)pauses.sum_ns > most_ns;
		if (pauses.count) {
			report_pauses(result, phase, host, &pauses, is_much ? "INVALID" : "WARN");
		} else if (host->silence_ns && !text_is(host->state, "lost")) {
			struct result_finding *finding =
				findings_add(result, "LATE_HEARTBEAT", NULL, phase, host->host,
					     NULL, NULL, "nothing was heard of the host for %s",
					     units_format_ns(text, (double)host->silence_ns));
			findings_figure(finding, "silence_ns", (double)host->silence_ns);
		}
	}
}

/* ---- what hosts say themselves ---- */

static bool has_note(const struct result *result, uint32_t from, const char *host, const char *text)
{
	for (uint32_t i = from; i < result->findings_count; i++) {
		const struct result_finding *finding = &result->findings[i];
		if (text_is(finding->code, "AGENT_NOTE") && text_is(finding->host, host) &&
		    text_is(finding->evidence, text))
			return true;
	}
	return false;
}

/* Agents repeat a note in each phase; it is told at the first. Notes are the findings `from` on. */
static void check_notes(struct result *result, uint32_t from, const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t n = 0; n < host->notes_count; n++)
			if (host->notes[n].name &&
			    !has_note(result, from, host->host, host->notes[n].name))
				findings_add(result, "AGENT_NOTE", NULL, phase, host->host, NULL,
					     NULL, "%s", host->notes[n].name);
	}
}

/* Then a pause may be among those that nobody knows of any more. */
static void check_disruptions(struct result *result)
{
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (result->hosts[h].clock.disruptions_dropped)
			findings_add(
				result, "AGENT_NOTE", NULL, NULL, result->hosts[h].host, NULL, NULL,
				"the agent told of %llu more disruptions of its clocks than are "
				"kept: of pauses among them nothing is known",
				(unsigned long long)result->hosts[h].clock.disruptions_dropped);
}

static void check_security(struct result *result)
{
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (result->hosts[h].insecure)
			findings_add(result, "INSECURE", NULL, NULL, result->hosts[h].host, NULL,
				     NULL,
				     "the agent was spoken to without keys beyond the loopback");
}

/* ---- the whole ---- */

void host_findings_compute(struct result *result)
{
	static const char *const states[] = {"lost", "refused", "broken", "aborted"};

	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
		for (uint32_t p = 0; p < result->phases_count; p++)
			check_states(result, &result->phases[p], states[s]);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_liveness(result, &result->phases[p]);
}

void host_findings_told(struct result *result)
{
	uint32_t notes = result->findings_count;

	for (uint32_t p = 0; p < result->phases_count; p++)
		check_notes(result, notes, &result->phases[p]);
	check_disruptions(result);
	check_security(result);
}
