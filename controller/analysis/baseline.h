/* baseline.h - an earlier run that gates are held against.
 *
 * Its figures are those of its run.json, without timelines and histograms: rates of all, latencies
 * of a target, of the fleet, and of a host with one target. An INVALID figure is no baseline. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_BASELINE_H
#define MUSTER_CONTROLLER_ANALYSIS_BASELINE_H

#include "common/error.h"
#include "controller/analysis/gate_figures.h"

/* Whether a gate of the plan (NULL: there is none) is against a baseline: what a person named at
 * `path` says nothing else. 0, or -1 (ERROR_USAGE). */
int baseline_check_use(const struct plan *plan, const char *path, struct error *err);

/* Whether the gates of the plan that are against a baseline can be held against this one: it has
 * the phase, asked for the same, and was neither INVALID nor unsteady there. Before anything is
 * asked of a host. 0, or -1 (ERROR_USAGE). */
int baseline_check(const struct plan *plan, const struct result *baseline, struct error *err);

/* OTHER_BUILD of the result, where the baseline has it. */
void baseline_note(struct result *result, const struct result *baseline);

/* Whether such a figure of the whole fleet can be held against the baseline's: rates add up over
 * hosts, of which there must have been as many. */
bool baseline_is_comparable(const struct result *baseline, const struct result_phase *now,
			    enum plan_metric metric);

/* The median over its trials. `host` NULL: of the fleet; `target` NULL: of all of a host. */
struct gate_figure baseline_figure(const struct result *baseline, const char *phase,
				   const char *host, const char *target, enum plan_metric metric);

#endif
