#include "controller/analysis/trial_figures.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gate_figures.h"
#include "controller/analysis/measured.h"

static double figure_of(const struct result_phase *phase, enum plan_metric metric)
{
	const struct result_cluster *cluster = phase->cluster;

	if (!cluster)
		return NAN;
	if (metric == PLAN_METRIC_THROUGHPUT)
		return measured_rate(phase);
	if (metric == PLAN_METRIC_IOPS)
		return cluster->iops;
	return gate_cluster_latency(cluster, metric);
}

/* Figures of the fleet hold those of each host and target, so that any of them breaks it. */
static bool is_invalid(const struct result *result, const struct result_phase *trial)
{
	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (text_is(finding->level, "INVALID") && findings_is_in(finding, trial))
			return true;
	}
	return false;
}

struct trial_figures trial_figures_take(const struct result *result, const char *phase,
					enum plan_metric metric)
{
	struct trial_figures figures = {
		.values = mem_new(result->phases_count, sizeof(*figures.values)),
		.starts_ns = mem_new(result->phases_count, sizeof(*figures.starts_ns)),
	};

	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *trial = &result->phases[p];
		if (!text_is(trial->name, phase))
			continue;
		double value = figure_of(trial, metric);
		if (!(value > 0) || is_invalid(result, trial)) {
			figures.left_out++;
			continue;
		}
		figures.values[figures.count] = value;
		figures.starts_ns[figures.count++] = trial->start_ns;
	}
	return figures;
}

void trial_figures_release(struct trial_figures *figures)
{
	free(figures->values);
	free(figures->starts_ns);
	*figures = (struct trial_figures){0};
}
