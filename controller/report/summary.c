#include "controller/report/summary.h"

#include <math.h>

#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/measured.h"
#include "controller/report/text_phase_inside.h"

const char *const summary_headings[] = {"phase", "trial", "op",           "fleet",    "IOPS",
					"p50",   "p99",   "slowest host", "findings", NULL};
const char summary_align[] = "lrlrrrrll";

/* "" where there is none, or too few samples. */
static void figure_cell(struct layout_table *table, const char *text, bool is_known, bool invalid)
{
	layout_cell(table, "%s%s%s", text_strike(invalid && is_known), is_known ? text : "",
		    text_strike(invalid && is_known));
}

static void cluster_cells(struct layout_table *table, const struct result_phase *phase,
			  bool invalid)
{
	const struct result_cluster *cluster = phase->cluster;
	char text[UNITS_TEXT_SIZE] = "";

	if (!cluster) {
		layout_cell(table, "none");
		for (int i = 0; i < 3; i++)
			layout_cell(table, "%s", "");
		return;
	}
	double rate = measured_rate(phase);
	if (isnan(rate))
		layout_cell(table, "none");
	else
		figure_cell(table, units_format_rate(text, rate), true, invalid);
	snprintf(text, sizeof(text), "%.0f", cluster->iops);
	figure_cell(table, text, !isnan(cluster->iops), invalid);
	figure_cell(table, units_format_ns(text, cluster->latency_ns.p50),
		    cluster->latency_ns.p50 > 0, invalid);
	figure_cell(table, units_format_ns(text, cluster->latency_ns.p99),
		    cluster->latency_ns.p99 > 0, invalid);
}

static void slowest_cell(struct layout_table *table, const struct result_phase *phase)
{
	const struct result_phase_host *slowest = NULL;
	char text[UNITS_TEXT_SIZE];
	double least = NAN;

	for (uint32_t h = 0; phase->cluster && h < phase->hosts_count; h++) {
		double rate = measured_host_rate(phase, h);
		if (isnan(rate) || (slowest && rate >= least))
			continue;
		slowest = &phase->hosts[h];
		least = rate;
	}
	if (!slowest || phase->hosts_count < 2)
		layout_cell(table, "%s", "");
	else
		layout_cell(table, "%s %s", text_or(slowest->host, "?"),
			    units_format_rate(text, least));
}

/* 2 INVALID, 1 WARN, 0 what need not be known at once. */
static int weight_of(const struct result_finding *finding)
{
	return text_is(finding->level, "INVALID") ? 2 : text_is(finding->level, "WARN");
}

static void finding_cell(struct layout_table *table, const struct result *result,
			 const struct result_phase *phase)
{
	const struct result_finding *worst = NULL;
	uint32_t more = 0;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!weight_of(finding) || finding->trial != phase->trial ||
		    !text_is(finding->phase, text_or(phase->name, "")))
			continue;
		more += worst != NULL;
		if (!worst || weight_of(finding) > weight_of(worst))
			worst = finding;
	}
	if (!worst)
		layout_cell(table, "%s", "");
	else if (more)
		layout_cell(table, "%s, +%u", text_or(worst->code, "?"), more);
	else
		layout_cell(table, "%s", text_or(worst->code, "?"));
}

void summary_rows(struct layout_table *table, const struct result *result)
{
	bool trials = result->plan && result->plan->repeat > 1;

	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		bool invalid = findings_against(result, phase, NULL, NULL);
		layout_cell(table, "%s", text_or(phase->name, "?"));
		if (trials)
			layout_cell(table, "%u", phase->trial);
		else
			layout_cell(table, "%s", "");
		layout_cell(table, "%s", text_or(phase->op, "?"));
		cluster_cells(table, phase, invalid);
		slowest_cell(table, phase);
		finding_cell(table, result, phase);
	}
}
