/* trial_figures.h - one figure of a phase in each trial, in the order they were run. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_TRIAL_FIGURES_H
#define MUSTER_CONTROLLER_ANALYSIS_TRIAL_FIGURES_H

#include "controller/result.h"

struct trial_figures {
	double *values;
	uint64_t *starts_ns; /* of each, into its run */
	uint32_t count;
	uint32_t left_out; /* trials without the figure, or INVALID */
};

/* Of the fleet; throughput, iops or a latency. */
struct trial_figures trial_figures_take(const struct result *result, const char *phase,
					enum plan_metric metric);
void trial_figures_release(struct trial_figures *figures);

#endif
