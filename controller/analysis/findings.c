#include "controller/analysis/findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "common/utf8.h"
#include "controller/analysis/catalogue.h"
#include "controller/analysis/clock_findings.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/load_findings.h"
#include "controller/analysis/rules.h"
#include "controller/analysis/window.h"

/* The limits are those of the catalogue. */
#define SHARE_LEAST   0.95 /* below: bytes came from memory, or stayed there */
#define SHARE_MOST    1.10 /* above: the devices did more than they were asked */
#define OVERLAP_LEAST 0.60 /* of the longest host */
#define GAP_MOST      1.05
#define FROZEN_NS     (3 * NS_PER_S) /* where no plan says suspect_after */

struct result_finding *findings_add(struct result *result, const char *code, const char *level,
				    const struct result_phase *phase, const char *host,
				    const char *target, const char *advice, const char *evidence,
				    ...)
{
	struct result_finding *finding = RECORD_APPEND(result->findings, result->findings_count);
	const struct catalogue_row *row = catalogue_find(code);
	char text[2048];
	va_list args;

	va_start(args, evidence);
	vsnprintf(text, sizeof(text), evidence, args);
	va_end(args);
	text[utf8_valid(text, strlen(text))] = '\0'; /* where it was cut */
	if (!advice && row)
		advice = row->advice;
	*finding = (struct result_finding){
		.code = mem_text(code),
		.level = mem_text(level ? level
				  : row ? catalogue_level(row)
					: "NOTE"),
		.phase = mem_text(phase ? phase->name : NULL),
		.trial = phase ? phase->trial : 0,
		.host = mem_text(host),
		.target = mem_text(target),
		.evidence = mem_text(text),
		.advice = advice && *advice ? mem_text(advice) : NULL,
	};
	return finding;
}

void findings_figure(struct result_finding *finding, const char *name, double value)
{
	struct result_figure *figure = RECORD_APPEND(finding->figures, finding->figures_count);

	*figure = (struct result_figure){.name = mem_text(name), .value = value};
}

static bool is_about(const char *named, const char *wanted)
{
	return !named || !wanted || strcmp(named, wanted) == 0;
}

const struct result_finding *findings_against(const struct result *result,
					      const struct result_phase *phase, const char *host,
					      const char *target)
{
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		bool is_here = !finding->phase || (text_is(finding->phase, phase->name) &&
						   finding->trial == phase->trial);
		bool is_it =
			host ? is_about(finding->host, host) && is_about(finding->target, target)
			     : !finding->host;
		if (text_is(finding->level, "INVALID") && is_here && is_it)
			return finding;
	}
	return NULL;
}

char *findings_place(const struct result_finding *finding)
{
	char text[1024];
	size_t used = 0;
	const struct {
		const char *what, *name;
	} parts[] = {
		{"phase", finding->phase}, {"host", finding->host}, {"target", finding->target}};

	for (size_t i = 0; i < 3 && used < sizeof(text); i++) {
		if (!parts[i].name)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s '%s'",
					 used ? ", " : "", parts[i].what, parts[i].name);
		if (i == 0 && finding->trial > 1 && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, ", trial %u",
						 finding->trial);
	}
	return mem_text(used ? text : "the run");
}

/* ---- what became of the hosts ---- */

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

/* A host that refused made the run REFUSED when nothing had been measured by then; the run loop
 * has said so. Later it is a hole in the result like any other. */
static void report_refused(struct result *result, const struct result_phase *phase,
			   const struct result_phase_host *host)
{
	findings_add(result, "HOST_REFUSED",
		     text_is(result->outcome, "REFUSED") ? "REFUSE" : "INVALID", phase, host->host,
		     NULL, NULL, "the host refused the phase: %s",
		     host->text ? host->text : "it gave no reason");
}

/* Of a run that another host refused: nothing was wrong with it. */
static bool is_bystander(const struct result *result, const struct result_phase_host *host)
{
	return text_is(result->outcome, "REFUSED") && text_is(host->state, "aborted");
}

static void check_hosts(struct result *result, const struct result_phase *phase, const char *state)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (!text_is(host->state, state) || is_bystander(result, host))
			continue;
		if (text_is(state, "lost"))
			report_lost(result, phase, host);
		else if (text_is(state, "refused"))
			report_refused(result, phase, host);
		else
			findings_add(result, "HOST_BROKEN", NULL, phase, host->host, NULL, NULL,
				     "the host's part was %s: %s", state,
				     host->text ? host->text : "no reason was given");
	}
}

/* Busy is not dead: silence alone qualifies, but an agent that did not run for as long has done
 * less than its host could. */
static void check_liveness(struct result *result, const struct result_phase *phase)
{
	uint64_t limit_ns = result->plan ? result->plan->fleet.suspect_after : FROZEN_NS;
	char text[UNITS_TEXT_SIZE], from[UNITS_TEXT_SIZE], to[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		struct result_finding *finding;
		if (limit_ns && host->frozen_ns >= limit_ns) {
			finding = findings_add(
				result, "HOST_FROZEN", NULL, phase, host->host, NULL, NULL,
				"degraded: the agent itself did not run for %s, from "
				"%s to %s into the run",
				units_format_ns(text, (double)host->frozen_ns),
				units_format_ns(from, (double)host->frozen_from_ns),
				units_format_ns(to,
						(double)(host->frozen_from_ns + host->frozen_ns)));
			findings_figure(finding, "frozen_ns", (double)host->frozen_ns);
		} else if (host->silence_ns && !text_is(host->state, "lost")) {
			finding = findings_add(result, "LATE_HEARTBEAT", NULL, phase, host->host,
					       NULL, NULL, "nothing was heard of the host for %s",
					       units_format_ns(text, (double)host->silence_ns));
			findings_figure(finding, "silence_ns", (double)host->silence_ns);
		}
	}
}

/* ---- windows ---- */

static bool is_timed(const struct result_cluster *cluster)
{
	return text_is(cluster->headline, "all_active");
}

static uint64_t longest_host_ns(const struct result_phase *phase)
{
	uint64_t longest_ns = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		struct window_interval own = window_host_interval(phase, &phase->hosts[h]);
		if (own.end_ns - own.start_ns > longest_ns)
			longest_ns = own.end_ns - own.start_ns;
	}
	return longest_ns;
}

static void check_length(struct result *result, const struct result_phase *phase)
{
	struct window_interval span = window_span(phase);
	bool timed = is_timed(phase->cluster);
	uint64_t length_ns =
		timed ? phase->cluster->all_active_window_ns : span.end_ns - span.start_ns;
	char is[UNITS_TEXT_SIZE], least[UNITS_TEXT_SIZE];

	if (length_ns >= result->min_window_ns)
		return;
	struct result_finding *finding = findings_add(
		result, "TOO_SHORT", NULL, phase, NULL, NULL,
		timed ? "raise runtime; or lower min_window where a short look will do"
		      : "raise size; or lower min_window where a short look will do",
		"%s is %s, shorter than min_window, %s",
		timed ? "the all-active window" : "the span from first start to last end",
		units_format_ns(is, (double)length_ns),
		units_format_ns(least, (double)result->min_window_ns));
	findings_figure(finding, timed ? "window_ns" : "span_ns", (double)length_ns);
	findings_figure(finding, "min_window_ns", (double)result->min_window_ns);
}

/* By the I/O itself and not by whole buckets, of which a short phase loses two to the rounding. */
static void check_overlap(struct result *result, const struct result_phase *phase)
{
	struct window_interval overlap = window_overlap(phase);
	uint64_t together_ns = overlap.end_ns - overlap.start_ns;
	uint64_t longest_ns = longest_host_ns(phase);
	char is[UNITS_TEXT_SIZE], longest[UNITS_TEXT_SIZE];

	if (!is_timed(phase->cluster) || !longest_ns ||
	    (double)together_ns >= OVERLAP_LEAST * (double)longest_ns)
		return;
	struct result_finding *finding = findings_add(
		result, "OVERLAP_TOO_SMALL", NULL, phase, NULL, NULL, NULL,
		"all were active together for %s only, %.0f %% of the longest host's %s; at "
		"least 60 %% are wanted",
		units_format_ns(is, (double)together_ns),
		100 * (double)together_ns / (double)longest_ns,
		units_format_ns(longest, (double)longest_ns));
	findings_figure(finding, "together_ns", (double)together_ns);
	findings_figure(finding, "longest_host_ns", (double)longest_ns);
}

static void check_gap(struct result *result, const struct result_phase *phase)
{
	const struct result_cluster *cluster = phase->cluster;
	char sum[UNITS_TEXT_SIZE];

	if (!(cluster->gap > GAP_MOST))
		return;
	struct result_finding *finding = findings_add(
		result, "SUM_OF_AVERAGES_GAP", NULL, phase, NULL, NULL, NULL,
		"the sum of the hosts' averages, %s, is %.2f times the headline",
		units_format_rate(sum, cluster->sum_of_averages_bytes_per_s), cluster->gap);
	findings_figure(finding, "gap", cluster->gap);
	findings_figure(finding, "sum_of_averages_bytes_per_s",
			cluster->sum_of_averages_bytes_per_s);
}

/* What goes through everything takes as long as it does. */
static bool has_no_length(const struct result *result, const struct result_phase *phase)
{
	const struct phase *asked = result_plan_phase(result, phase->name);

	return asked && phase_passes(asked);
}

static void check_window(struct result *result, const struct result_phase *phase)
{
	if (!phase->cluster || text_is(phase->op, "idle"))
		return; /* a host is missing, and that has been said; or there is nothing to see */
	if (!has_no_length(result, phase))
		check_length(result, phase);
	check_overlap(result, phase);
	check_gap(result, phase);
}

/* ---- targets ---- */

/* "; 12 read: Input/output error, from offset 4096; ..." */
static char *list_errors(const struct result_target *target)
{
	char *list = mem_text("");

	for (uint32_t i = 0; i < target->io_errors_count; i++) {
		const struct io_error *e = &target->io_errors[i];
		char *longer =
			mem_format("%s; %llu %s: %s, the first at offset %llu", list,
				   (unsigned long long)e->count, text_or(e->op, "?"),
				   text_or(e->error, "?"), (unsigned long long)e->first_offset);
		free(list);
		list = longer;
	}
	return list;
}

static void check_errors(struct result *result, const struct result_phase *phase,
			 const struct result_phase_host *host, const struct result_target *target)
{
	if (target->errors) {
		char *list = list_errors(target);
		struct result_finding *finding = findings_add(
			result, "IO_ERRORS", NULL, phase, host->host, target->target, NULL,
			"%llu I/O errors beside %llu operations%s%s%s",
			(unsigned long long)target->errors, (unsigned long long)target->operations,
			list, target->first_error ? "; the first: " : "",
			text_or(target->first_error, ""));
		free(list);
		findings_figure(finding, "errors", (double)target->errors);
		findings_figure(finding, "operations", (double)target->operations);
	}
	if (!target->operations && window_host_is_complete(host))
		findings_add(result, "NO_IO", NULL, phase, host->host, target->target, NULL,
			     "not one operation was completed on this target outside the ramp");
}

static void check_miscompares(struct result *result, const struct result_phase *phase,
			      const struct result_phase_host *host,
			      const struct result_target *target)
{
	const struct miscompares *m = &target->miscompares;
	const struct {
		uint64_t count;
		const char *name;
	} kinds[] = {{m->stale, miscompare_names[MISCOMPARE_STALE]},
		     {m->misdirected, miscompare_names[MISCOMPARE_MISDIRECTED]},
		     {m->torn, miscompare_names[MISCOMPARE_TORN]},
		     {m->zeros, miscompare_names[MISCOMPARE_ZEROS]},
		     {m->bit_flips, miscompare_names[MISCOMPARE_BIT_FLIPS]},
		     {m->foreign, miscompare_names[MISCOMPARE_FOREIGN]}};
	char counts[256] = "";
	size_t used = 0;

	if (!m->blocks)
		return;
	for (size_t i = 0; i < MISCOMPARE_KINDS; i++)
		if (kinds[i].count)
			used += (size_t)snprintf(counts + used, sizeof(counts) - used, "%s%s %llu",
						 used ? ", " : "", kinds[i].name,
						 (unsigned long long)kinds[i].count);
	struct result_finding *finding = findings_add(
		result, "MISCOMPARE", NULL, phase, host->host, target->target, NULL,
		"%llu block%s not as written (%s); the first: %s; evidence on the host: %s",
		(unsigned long long)m->blocks, m->blocks == 1 ? " read was" : "s read were", counts,
		text_or(m->first, "not told"), text_or(m->evidence, "none"));
	findings_figure(finding, "blocks", (double)m->blocks);
	findings_figure(finding, "verified_bytes", (double)m->verified_bytes);
}

static void check_kind(struct result *result, const struct result_phase *phase,
		       const struct result_phase_host *host, const struct result_target *target)
{
	const char *system = target->file_system ? target->file_system : "the device";

	if (target->ram)
		findings_add(result, "RAM_TARGET", NULL, phase, host->host, target->target, NULL,
			     "the target is held in memory (%s); allow_ram let it pass", system);
	if (text_is(target->io, "buffered"))
		findings_add(result, "BUFFERED_PHASE", NULL, phase, host->host, target->target,
			     NULL, "I/O went through the page cache (%s)", system);
	if (text_is(target->io, "written through"))
		findings_add(result, "WRITTEN_THROUGH", NULL, phase, host->host, target->target,
			     NULL,
			     "%s accepts direct I/O but may copy it through memory; the bytes "
			     "reach the device before a write returns",
			     system);
}

static bool moved_anything(const struct result_target *target)
{
	return devices_engine_bytes(target) > 0;
}

static void report_low_share(struct result *result, const struct result_phase *phase,
			     const struct result_phase_host *host,
			     const struct result_target *target, double share)
{
	const struct phase *plan = result_plan_phase(result, phase->name);
	bool allowed = plan && plan->cache == PHASE_CACHE_ALLOWED;

	struct result_finding *finding;

	if (text_is(phase->op, "write") || text_is(phase->op, "fill"))
		finding = findings_add(result, "WRITE_NOT_ON_DEVICE", NULL, phase, host->host,
				       target->target, NULL,
				       "after the phase %.1f %% of the bytes written were on the "
				       "devices of its group",
				       100 * share);
	else
		finding = findings_add(result, "CACHE_SERVED", allowed ? "NOTE" : "INVALID", phase,
				       host->host, target->target, allowed ? "" : NULL,
				       "%.1f %% of the bytes moved on the devices of its group, "
				       "the rest was served from memory",
				       100 * share);
	findings_figure(finding, "device_share", share);
}

static void check_devices(struct result *result, const struct result_phase *phase, uint32_t index,
			  const struct result_target *target)
{
	const struct result_phase_host *host = &phase->hosts[index];
	const struct result_device *device = devices_find(phase, index, target);

	/* Devices do not count what is given back. */
	if (!moved_anything(target) || text_is(target->io, "none") || text_is(phase->op, "trim"))
		return;
	if (!device)
		findings_add(result, "NO_DEVICE_COUNTERS", NULL, phase, host->host, target->target,
			     NULL,
			     "the devices beneath (%s) are not known, so neither is whether the "
			     "bytes moved on them",
			     target->file_system ? target->file_system : "no file system");
	else if (device->share < SHARE_LEAST)
		report_low_share(result, phase, host, target, device->share);
	else if (device->share > SHARE_MOST)
		findings_figure(findings_add(result, "DEVICE_MOVED_MORE", NULL, phase, host->host,
					     target->target, NULL,
					     "the devices of its group moved %.2f times what the "
					     "engine did",
					     device->share),
				"device_share", device->share);
}

static void check_targets(struct result *result, const struct result_phase *phase)
{
	if (text_is(phase->op, "idle"))
		return;
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t t = 0; t < host->targets_count; t++) {
			const struct result_target *target = &host->targets[t];
			check_errors(result, phase, host, target);
			check_miscompares(result, phase, host, target);
			check_kind(result, phase, host, target);
			if (window_host_is_complete(host))
				check_devices(result, phase, h, target);
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

static void check_security(struct result *result)
{
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (result->hosts[h].insecure)
			findings_add(result, "INSECURE", NULL, NULL, result->hosts[h].host, NULL,
				     NULL,
				     "the agent was spoken to without keys beyond the loopback");
}

void findings_compute(struct result *result, const struct result_series *series)
{
	static const char *const states[] = {"lost", "refused", "broken", "aborted"};

	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
		for (uint32_t p = 0; p < result->phases_count; p++)
			check_hosts(result, &result->phases[p], states[s]);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_liveness(result, &result->phases[p]);
	clock_findings_compute(result);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_window(result, &result->phases[p]);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_targets(result, &result->phases[p]);
	load_findings_compute(result);
	rules_compute(result, series);
	uint32_t notes = result->findings_count;
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_notes(result, notes, &result->phases[p]);
	check_security(result);
}
