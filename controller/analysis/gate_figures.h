/* gate_figures.h - the figure that a gate is about, and between which the true one lies. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_GATE_FIGURES_H
#define MUSTER_CONTROLLER_ANALYSIS_GATE_FIGURES_H

#include "controller/result.h"

/* Whose figure. */
struct gate_scope {
	const struct result *result;
	const struct result_phase *phase;  /* of a label: a group's */
	const struct phase_series *series; /* NULL: no timelines and histograms */
	enum plan_of of;
	uint32_t host, target; /* index, with PLAN_OF_HOST and PLAN_OF_TARGET */
};

struct gate_figure {
	double value;     /* NAN: none */
	double low, high; /* at 95 %; NAN: nothing can be said */
	const char *lack; /* where NAN for want of data, what was wanting; a constant. NULL: it was
			     not measured at all */
};

/* A target's rate is its own average, a host's its bytes or operations over the time from its
 * first start to its last end, that of fleet and label the headline. The intervals are those of
 * one trial: of a percentile by order statistics (binomial), of a rate by the middle of ten parts
 * of the all-active window, where that has ten seconds, no finding of a rhythm, a step or a stall,
 * and the figure lies within, of the start skew by the clocks' bounds. */
struct gate_figure gate_figure(const struct gate_scope *scope, enum plan_metric metric);

/* The metric of one that was computed already; NAN for what is no latency, or is not known. */
double gate_latency(const struct result_latency *latency, enum plan_metric metric);

/* Likewise of the fleet: of response time, service or syncs, as the metric says. */
double gate_cluster_latency(const struct result_cluster *cluster, enum plan_metric metric);

#endif
