#include "controller/analysis/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "common/utf8.h"
#include "controller/analysis/catalogue.h"
#include "controller/analysis/clock_findings.h"
#include "controller/analysis/host_findings.h"
#include "controller/analysis/load_findings.h"
#include "controller/analysis/rules.h"
#include "controller/analysis/target_findings.h"
#include "controller/analysis/window.h"

/* The limits are those of the catalogue. */
#define OVERLAP_LEAST 0.60 /* of the longest host */
#define GAP_MOST      1.05

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

/* The points of a sweep stand beside the phases: what is wrong with them says nothing of those. */
static bool is_of_sweep(const struct result_finding *finding)
{
	return !finding->phase &&
	       (text_is(finding->code, "SWEEP_INVALID") || text_is(finding->code, "TOO_SHORT"));
}

bool findings_is_in(const struct result_finding *finding, const struct result_phase *phase)
{
	if (!finding->phase)
		return !is_of_sweep(finding);
	return text_is(finding->phase, phase->name) && finding->trial == phase->trial;
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
		bool is_it =
			host ? is_about(finding->host, host) && is_about(finding->target, target)
			     : !finding->host;
		if (text_is(finding->level, "INVALID") && findings_is_in(finding, phase) && is_it)
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
	double rate = cluster->sum_of_averages_bytes_per_s;
	/* They did overlap: it is the part buckets at both ends, which the window leaves out. */
	bool is_edge = rate <= GAP_MOST * cluster->span_bytes_per_s;
	char sum[UNITS_TEXT_SIZE], span[UNITS_TEXT_SIZE];

	/* Of one target by itself it is the edges of the window, and nothing was added up. */
	if (!(cluster->gap > GAP_MOST) ||
	    (phase->hosts_count == 1 && phase->hosts[0].targets_count == 1))
		return;
	struct result_finding *finding = findings_add(
		result, "SUM_OF_AVERAGES_GAP", NULL, phase, NULL, NULL,
		is_edge ? "set ramp, so that the beginning is left out of all figures, and let it "
			  "run for longer"
			: NULL,
		is_edge ? "the sum of the hosts' averages, %s, is %.2f times the headline; it is "
			  "no "
			  "more than the span's %s, so the hosts did overlap: more was moved at "
			  "the "
			  "edges, which the window leaves out, than within it"
			: "the sum of the hosts' averages, %s, is %.2f times the headline, and the "
			  "span's rate is %s",
		units_format_rate(sum, rate), cluster->gap,
		units_format_rate(span, cluster->span_bytes_per_s));
	findings_figure(finding, "gap", cluster->gap);
	findings_figure(finding, "sum_of_averages_bytes_per_s", rate);
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

void findings_compute(struct result *result, const struct result_series *series)
{
	host_findings_compute(result);
	clock_findings_compute(result);
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_window(result, &result->phases[p]);
	for (uint32_t p = 0; p < result->phases_count; p++)
		target_findings_compute(result, &result->phases[p]);
	load_findings_compute(result);
	rules_compute(result, series);
	host_findings_told(result);
}
