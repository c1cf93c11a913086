/* window.h - what a fleet did together: all-active window, span, sum of averages.
 *
 * Sum of averages, span (as IOR has it) and all-active window. Rates add, latencies never do. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_WINDOW_H
#define MUSTER_CONTROLLER_ANALYSIS_WINDOW_H

#include "controller/result.h"

/* The cluster's figures of a phase over the hosts that count (window_host_counts); sets
 * phase->cluster when all are complete, else cluster_partial. `timed`: the phase had a runtime, so
 * the headline is the all-active window; else the span. The window is whole buckets: from the first
 * border at or after the latest (first I/O, end of ramp) over the hosts to the last border at or
 * before the earliest last I/O. A host with several targets counts as active while all of them are;
 * there is no window when one of them did nothing. */
void window_compute(struct result_phase *phase, const struct phase_series *series, bool timed);

/* Mean, p50 to max of a histogram; NAN where too few samples lie beyond. */
struct result_latency window_latency(const struct histogram *h);

/* Fills throughput, iops and throughput with sync of a target from its totals and times. */
void window_target_rates(const struct result_phase *phase, struct result_target *target);

/* When something was measured: from the later of the first submit and the end of the ramp to the
 * last completion. Both 0 when nothing was completed after the ramp. */
struct window_interval {
	uint64_t start_ns, end_ns;
};
/* Of a target: from its first I/O, or the end of the ramp, to its last; 0 and 0: there is none. */
struct window_interval window_target_interval(const struct result_phase *phase,
					      const struct result_target *target);
/* Of a host: from its first target's start to its last target's end. */
struct window_interval window_host_interval(const struct result_phase *phase,
					    const struct result_phase_host *host);
/* Of all hosts that count: first start to last end. */
struct window_interval window_span(const struct result_phase *phase);
/* What all targets of all hosts that count have in common, to the ns; the all-active window is the
 * whole buckets in it. */
struct window_interval window_overlap(const struct result_phase *phase);

/* Amount over an interval, in 1/s; NAN for an empty one. */
double window_rate(uint64_t amount, struct window_interval interval);

/* Bytes and operations of a host over its targets, without the ramp. */
uint64_t window_host_bytes(const struct result_phase_host *host);
uint64_t window_host_operations(const struct result_phase_host *host);

/* Whether its state is complete. */
bool window_host_is_complete(const struct result_phase_host *host);

/* Whether its figures are in those of the cluster: it is complete, or was stopped by the controller
 * (another host lost, the person's Ctrl-C) after it had done I/O; with any such one the cluster's
 * are partial. */
bool window_host_counts(const struct result_phase_host *host);

#endif
