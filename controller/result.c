#include "controller/result.h"

#include "common/text.h"

static const struct record_row latency_rows[] = {
	{MEMBER(struct result_latency, mean), .doc = "of all operations, ns, within 0.4 %; null: "
						     "none"},
	{MEMBER(struct result_latency, p50), .doc = "half of the operations took no longer, ns; "
						    "null with fewer than 10 samples beyond"},
	{MEMBER(struct result_latency, p90), .doc = "90 % took no longer, ns; null likewise"},
	{MEMBER(struct result_latency, p99), .doc = "99 % took no longer, ns; null likewise"},
	{MEMBER(struct result_latency, p999), .doc = "99.9 % took no longer, ns; null likewise"},
	{MEMBER(struct result_latency, max), .doc = "the longest, ns"},
};
static const struct record_table latency_table = RECORD_TABLE(
	struct result_latency, "latency", latency_rows, "Submit to completion, from histograms.");

static const struct record_row disruption_rows[] = {
	{MEMBER(struct result_disruption, kind),
	 .doc = "what the agent said (gap, suspend, step, frequency), or cut: the exchanges prove "
		"it"},
	{MEMBER(struct result_disruption, from_ns), .doc = "after this, since the run's start"},
	{MEMBER(struct result_disruption, to_ns), .doc = "and before this"},
	{MEMBER(struct result_disruption, amount_ns), .doc = "how long, or how far"},
};
static const struct record_table disruption_table = RECORD_TABLE(
	struct result_disruption, "disruption", disruption_rows, "What happened to a clock.");

static const struct record_row clock_rows[] = {
	{MEMBER(struct result_clock, known), .doc = "false: no exchange says anything about it"},
	{MEMBER(struct result_clock, offset_ns),
	 .doc = "agent's clock - controller's at the run's start"},
	{MEMBER(struct result_clock, bound_ns), .doc = "the offset is within +- this"},
	{MEMBER(struct result_clock, drift_ppb), .doc = "of the agent's clock then"},
	{MEMBER(struct result_clock, drift_lo_ppb), .doc = "least that the exchanges allow"},
	{MEMBER(struct result_clock, drift_hi_ppb), .doc = "most that they allow"},
	{MEMBER(struct result_clock, stamp), .doc = "where most stamps were taken"},
	{MEMBER(struct result_clock, exchanges), .doc = "four-stamp exchanges in all"},
	{MEMBER(struct result_clock, kernel), .doc = "of them, stamped by both kernels"},
	{MEMBER(struct result_clock, user), .doc = "of them, by a program somewhere"},
	{MEMBER(struct result_clock, zeromq), .doc = "of them, over ZeroMQ"},
	{MEMBER(struct result_clock, rtt_min_ns), .doc = "round trip without the holding time"},
	{MEMBER(struct result_clock, rtt_p50_ns), .doc = "median"},
	{MEMBER(struct result_clock, rtt_p99_ns), .doc = "99 % took no longer"},
	{MEMBER(struct result_clock, estimator), .doc = "version of the rules (clock_fit.h)"},
	{MEMBER_LIST(struct result_clock, disruptions, disruption_table), .doc = "what happened"},
	{MEMBER(struct result_clock, disruptions_dropped),
	 .doc = "that happened too, beyond 10,000 gaps and 10,000 others"},
};
static const struct record_table clock_table = RECORD_TABLE(
	struct result_clock, "clock", clock_rows, "How a host's clock stood to the controller's.");

static const struct record_row host_rows[] = {
	{MEMBER(struct result_host, host), .required = true, .doc = "what the plan calls it"},
	{MEMBER(struct result_host, os), .doc = "Linux, FreeBSD, SunOS"},
	{MEMBER(struct result_host, kernel), .doc = "release"},
	{MEMBER(struct result_host, boot_id),
	 .doc = "one running kernel; hosts with the same share their devices"},
	{MEMBER(struct result_host, cpus), .doc = "that the agent may use"},
	{MEMBER(struct result_host, memory_bytes), .doc = "of the host"},
	{MEMBER(struct result_host, uptime_s), .doc = "since it was booted"},
	{MEMBER(struct result_host, container), .doc = "docker, podman, jail, zone, ..."},
	{MEMBER(struct result_host, memory_limit_bytes),
	 .doc = "of the agent's container or control group; 0: none"},
	{MEMBER(struct result_host, cpu_limit_thousandths), .doc = "likewise; 0: none"},
	{MEMBER(struct result_host, io_limit), .doc = "likewise, for people"},
	{MEMBER(struct result_host, arc_most_bytes),
	 .doc = "that ZFS keeps in memory at most; 0: not known"},
	{MEMBER_LIST(struct result_host, labels, plan_label_table), .keyed = true,
	 .doc = "the plan's"},
	{MEMBER_MAYBE(struct result_host, expect, hardware_table),
	 .doc = "what the plan says of its hardware, where that is not what it says of all; else "
		"null"},
	{MEMBER_ONE(struct result_host, clock, clock_table), .doc = "against the controller's"},
	{MEMBER(struct result_host, key),
	 .doc = "public key that its agent proved; null: none, or one for this run only"},
	{MEMBER(struct result_host, insecure), .doc = "spoke without keys beyond the loopback"},
};
static const struct record_table host_table =
	RECORD_TABLE(struct result_host, "host", host_rows, "A machine under test.");

static const struct record_row target_rows[] = {
	{MEMBER(struct result_target, target), .required = true, .doc = "its name in the plan"},
	{MEMBER(struct result_target, bytes), .required = true, .doc = "moved, without the ramp"},
	{MEMBER(struct result_target, bytes_read), .required = true, .doc = "of them, read"},
	{MEMBER(struct result_target, bytes_written), .required = true, .doc = "of them, written"},
	{MEMBER(struct result_target, bytes_trimmed), .doc = "of them, given back by a trim"},
	{MEMBER(struct result_target, operations), .required = true,
	 .doc = "that moved bytes, without the ramp"},
	{MEMBER(struct result_target, errors), .required = true,
	 .doc = "failed operations, without the ramp"},
	{MEMBER(struct result_target, ramp_bytes), .doc = "moved in the ramp"},
	{MEMBER(struct result_target, passes),
	 .doc = "whole passes of the slowest worker over its region"},
	{MEMBER(struct result_target, extent_bytes), .doc = "that the phase may touch"},
	{MEMBER(struct result_target, io), .doc = "direct, written through, buffered, none"},
	{MEMBER(struct result_target, ram), .doc = "it is held in memory"},
	{MEMBER(struct result_target, no_topology),
	 .doc = "the host's system says nothing of the device that it is on"},
	{MEMBER(struct result_target, engine), .doc = "how I/O was issued"},
	{MEMBER(struct result_target, engine_reason), .doc = "why by that engine"},
	{MEMBER(struct result_target, file_system), .doc = "type; null for a device"},
	{MEMBER(struct result_target, first_io_ns), .required = true,
	 .doc = "first submit; 0: none"},
	{MEMBER(struct result_target, last_io_ns), .required = true,
	 .doc = "last completion; 0: none"},
	{MEMBER(struct result_target, throughput_bytes_per_s), .required = true,
	 .doc = "bytes / (last completion - later of first submit and end of the ramp)"},
	{MEMBER(struct result_target, iops), .required = true, .doc = "operations over the same"},
	{MEMBER(struct result_target, throughput_with_sync_bytes_per_s),
	 .doc = "the same with sync_ns in the time; null without a sync"},
	{MEMBER(struct result_target, sync_ns), .doc = "time of the fsync at the end"},
	{MEMBER_ONE(struct result_target, latency_ns, latency_table), .doc = "without the ramp"},
	{MEMBER_MAYBE(struct result_target, response_ns, latency_table),
	 .doc = "from when an I/O was due to its completion; null: the phase has no rate"},
	{MEMBER(struct result_target, syncs),
	 .doc = "that succeeded of those after sync_every writes each, without the ramp"},
	{MEMBER_MAYBE(struct result_target, syncs_ns, latency_table),
	 .doc = "their times; null: none were asked for"},
	{MEMBER_LIST(struct result_target, sizes, done_size_table),
	 .doc = "each size of a mix of block sizes; else empty"},
	{MEMBER_LIST(struct result_target, io_errors, io_error_table),
	 .doc = "what failed, by kind; empty: nothing"},
	{MEMBER(struct result_target, first_error), .doc = "a sentence; null: none"},
	{MEMBER_ONE(struct result_target, miscompares, miscompares_table),
	 .doc = "what was verified, and was not as written"},
};
static const struct record_table result_target_table = RECORD_TABLE(
	struct result_target, "target", target_rows, "What one target did on one host.");

static const struct record_row device_rows[] = {
	{MEMBER(struct result_device, device), .required = true, .doc = "the kernel's name"},
	{MEMBER(struct result_device, under),
	 .doc = "the device above, whose bytes these are too; null: a top one"},
	{MEMBER_LIST(struct result_device, targets, name_table), .required = true,
	 .doc = "that move bytes on it; host:target where it is another host's"},
	{MEMBER(struct result_device, bytes_read), .required = true,
	 .doc = "by the device's own counter"},
	{MEMBER(struct result_device, bytes_written), .required = true,
	 .doc = "by the device's own counter"},
	{MEMBER(struct result_device, share),
	 .doc = "device bytes / engine bytes over the group of targets that share devices; null: "
		"unknown, or under another"},
};
static const struct record_table device_table =
	RECORD_TABLE(struct result_device, "device", device_rows,
		     "A device, once for all hosts that share a running kernel.");

static const struct record_row worker_rows[] = {
	{MEMBER(struct result_worker, target), .doc = "its target"},
	{MEMBER(struct result_worker, worker), .doc = "from 0 on each target"},
	{MEMBER(struct result_worker, first_submit_ns), .doc = "0: no I/O"},
	{MEMBER(struct result_worker, last_completion_ns), .doc = "0: no I/O"},
	{MEMBER(struct result_worker, operations), .doc = "that moved bytes"},
	{MEMBER(struct result_worker, cpus), .doc = "that it was bound to; null: to none"},
};
static const struct record_table worker_table =
	RECORD_TABLE(struct result_worker, "worker", worker_rows, "One thread on one target.");

static const struct record_row edges_rows[] = {
	{MEMBER(struct result_edges, error_ns),
	 .doc = "the largest by which a bucket began off its instant, disrupted ones apart"},
	{MEMBER(struct result_edges, bound_ns),
	 .doc = "every such error is within +- this; 2^63 - 1 and more: unknown"},
	{MEMBER(struct result_edges, amendments), .doc = "how often borders were moved meanwhile"},
	{MEMBER(struct result_edges, disrupted), .doc = "buckets about which the clock jumped"},
	{MEMBER(struct result_edges, realigned),
	 .doc = "buckets that lay over half a bucket off and were moved, whole"},
};
static const struct record_table edges_table =
	RECORD_TABLE(struct result_edges, "edges", edges_rows, "How well buckets lie.");

static const struct record_row late_rows[] = {
	{MEMBER(struct result_late, host), .doc = "on which"},
	{MEMBER(struct result_late, target), .doc = "on which"},
	{MEMBER(struct result_late, worker), .doc = "its number, from 0"},
	{MEMBER(struct result_late, late_ns), .doc = "first submit after the start instant"},
};
static const struct record_table late_table =
	RECORD_TABLE(struct result_late, "late", late_rows, "A worker that began late.");

static const struct record_row phase_host_rows[] = {
	{MEMBER(struct result_phase_host, host), .required = true, .doc = "its name"},
	{MEMBER(struct result_phase_host, state), .required = true,
	 .doc = "complete, aborted, broken, lost, refused"},
	{MEMBER(struct result_phase_host, code),
	 .doc = "of the finding that this is; null: none of its own"},
	{MEMBER(struct result_phase_host, text), .doc = "why, when not complete"},
	{MEMBER(struct result_phase_host, lost_at_ns), .doc = "0: not lost"},
	{MEMBER_LIST(struct result_phase_host, targets, result_target_table), .required = true,
	 .doc = "of the phase"},
	{MEMBER_LIST(struct result_phase_host, devices, device_table),
	 .doc = "that the targets' bytes moved on"},
	{MEMBER_LIST(struct result_phase_host, workers, worker_table), .doc = "all of them"},
	{MEMBER(struct result_phase_host, cpu_ns), .doc = "of the agent's process"},
	{MEMBER(struct result_phase_host, buffer_bytes), .doc = "memory the agent held for it"},
	{MEMBER(struct result_phase_host, spool_bytes),
	 .doc = "the most that its results could take of the agent's spool"},
	{MEMBER_ONE(struct result_phase_host, edges, edges_table), .doc = "of its buckets"},
	{MEMBER_LIST(struct result_phase_host, start_refusals, name_table),
	 .doc = "what its system refused for a punctual start"},
	{MEMBER(struct result_phase_host, start_spin_ns),
	 .doc = "how long its workers spun before the start; 0: they slept"},
	{MEMBER(struct result_phase_host, frozen_from_ns), .doc = "when the next began"},
	{MEMBER(struct result_phase_host, frozen_ns),
	 .doc = "longest time in which the agent itself did not run"},
	{MEMBER(struct result_phase_host, silence_ns),
	 .doc = "longest silence of the agent over suspect_after; 0: none"},
	{MEMBER_LIST(struct result_phase_host, notes, name_table), .doc = "the agent's warnings"},
};
static const struct record_table phase_host_table = RECORD_TABLE(
	struct result_phase_host, "phase_host", phase_host_rows, "What one host did in one phase.");

static const struct record_row cluster_rows[] = {
	{MEMBER(struct result_cluster, hosts), .required = true, .doc = "in these figures"},
	{MEMBER(struct result_cluster, of), .required = true, .doc = "hosts of the phase"},
	{MEMBER(struct result_cluster, bytes), .required = true, .doc = "without the ramp"},
	{MEMBER(struct result_cluster, operations), .required = true, .doc = "without the ramp"},
	{MEMBER(struct result_cluster, errors), .required = true, .doc = "without the ramp"},
	{MEMBER(struct result_cluster, all_active_start_ns), .doc = "a border of buckets"},
	{MEMBER(struct result_cluster, all_active_window_ns), .required = true,
	 .doc = "whole buckets in which every target of every host was active; 0: none"},
	{MEMBER(struct result_cluster, all_active_bytes_per_s), .required = true,
	 .doc = "bytes in the all-active window over its length; null: no window"},
	{MEMBER(struct result_cluster, span_bytes_per_s), .required = true,
	 .doc = "bytes over the time from the first start to the last end"},
	{MEMBER(struct result_cluster, sum_of_averages_bytes_per_s),
	 .doc = "each host's bytes over its own time, added"},
	{MEMBER(struct result_cluster, gap), .doc = "sum of averages / headline"},
	{MEMBER(struct result_cluster, headline), .required = true,
	 .doc = "all_active for timed phases, span for fixed amounts"},
	{MEMBER(struct result_cluster, iops), .required = true,
	 .doc = "over the same time as the headline"},
	{MEMBER_ONE(struct result_cluster, latency_ns, latency_table),
	 .doc = "from the hosts' merged histograms"},
	{MEMBER_MAYBE(struct result_cluster, response_ns, latency_table),
	 .doc = "from when an I/O was due to its completion, merged; null: the phase has no rate"},
	{MEMBER_MAYBE(struct result_cluster, syncs_ns, latency_table),
	 .doc = "of the syncs after sync_every writes each, merged; null: none were asked for"},
};
const struct record_table result_cluster_table = RECORD_TABLE(
	struct result_cluster, "cluster", cluster_rows, "What the hosts did together.");

static const struct record_row phase_rows[] = {
	{MEMBER(struct result_phase, name), .required = true, .doc = "the plan's"},
	{MEMBER(struct result_phase, trial), .required = true, .doc = "from 1"},
	{MEMBER(struct result_phase, op), .required = true, .doc = "read, write, mixed"},
	{MEMBER(struct result_phase, controller),
	 .doc = "through which the bytes went, where one was named"},
	{MEMBER(struct result_phase, start_ns), .required = true, .doc = "the start instant"},
	{MEMBER(struct result_phase, ramp_ns), .required = true,
	 .doc = "left out of the figures; whole buckets"},
	{MEMBER(struct result_phase, bucket_ns), .required = true,
	 .doc = "width of a bucket of the timeline"},
	{MEMBER(struct result_phase, start_skew_ns),
	 .doc = "latest first submit - earliest, of all workers that did I/O"},
	{MEMBER(struct result_phase, start_skew_bound_ns), .doc = "the skew is within +- this"},
	{MEMBER(struct result_phase, stop_skew_ns), .doc = "latest last completion - earliest"},
	{MEMBER(struct result_phase, stop_skew_bound_ns), .doc = "the skew is within +- this"},
	{MEMBER(struct result_phase, errors_unknown),
	 .doc = "true: numbers that muster did not measure, and that do not tell how many I/Os "
		"failed"},
	{MEMBER_LIST(struct result_phase, late, late_table),
	 .doc = "workers over 1 ms late, the latest first, at most 20"},
	{MEMBER_LIST(struct result_phase, hosts, phase_host_table), .required = true,
	 .doc = "that took part"},
	{MEMBER_MAYBE(struct result_phase, cluster, result_cluster_table), .required = true,
	 .doc = "null when a host is missing"},
	{MEMBER_MAYBE(struct result_phase, cluster_partial, result_cluster_table),
	 .doc = "the hosts that completed, when one is missing; never feeds a gate"},
};
const struct record_table result_phase_table =
	RECORD_TABLE(struct result_phase, "phase", phase_rows, "One phase in one trial.");

static const struct record_row figure_rows[] = {
	{MEMBER(struct result_figure, name), .required = true, .doc = "with the unit in it"},
	{MEMBER(struct result_figure, value), .doc = "null: unknown"},
};
static const struct record_table figure_table = RECORD_TABLE(
	struct result_figure, "figure", figure_rows, "A figure that a finding rests on.");

static const struct record_row finding_rows[] = {
	{MEMBER(struct result_finding, code), .required = true, .doc = "its name"},
	{MEMBER(struct result_finding, level), .required = true,
	 .doc = "REFUSE, INVALID, WARN, NOTE"},
	{MEMBER(struct result_finding, phase), .doc = "null: the run"},
	{MEMBER(struct result_finding, trial), .doc = "0: the run"},
	{MEMBER(struct result_finding, host), .doc = "null: all"},
	{MEMBER(struct result_finding, target), .doc = "null: all"},
	{MEMBER(struct result_finding, evidence), .doc = "with figures"},
	{MEMBER_LIST(struct result_finding, figures, figure_table), .keyed = true,
	 .doc = "the same, for programs"},
	{MEMBER(struct result_finding, advice), .doc = "what to do"},
};
static const struct record_table finding_table = RECORD_TABLE(
	struct result_finding, "finding", finding_rows, "A named fact about the result.");

static const struct record_row gate_rows[] = {
	{MEMBER(struct result_gate, phase), .required = true, .doc = "its phase"},
	{MEMBER(struct result_gate, metric), .required = true,
	 .doc = "throughput, iops, errors, spread, ..."},
	{MEMBER(struct result_gate, of), .doc = "host, target, fleet, label"},
	{MEMBER(struct result_gate, who), .required = true,
	 .doc = "host, host:target, label=value or fleet"},
	{MEMBER(struct result_gate, trial), .doc = "from 1"},
	{MEMBER(struct result_gate, against),
	 .doc = "phase, or baseline, that the value is in percent of; null: none"},
	{MEMBER(struct result_gate, limit), .required = true, .doc = "as the plan has it"},
	{MEMBER(struct result_gate, value),
	 .doc = "bytes/s, operations/s, errors, percent or ns; null: not measured"},
	{MEMBER(struct result_gate, low),
	 .doc = "95 % interval: of six trials or more, of their median; else of a percentile by "
		"order statistics, of a rate by ten parts of the window, of a skew by the clocks; "
		"null: none"},
	{MEMBER(struct result_gate, high), .doc = "its other end"},
	{MEMBER(struct result_gate, margin),
	 .doc = "how far inside its nearest limit, as a share of it; below 0: outside; null: no "
		"telling"},
	{MEMBER(struct result_gate, state), .required = true,
	 .doc = "PASS, FAIL, INVALID, INCONCLUSIVE"},
	{MEMBER(struct result_gate, text), .doc = "why INVALID or INCONCLUSIVE; or that the limit "
						  "lies within the interval; else null"},
};
static const struct record_table gate_table =
	RECORD_TABLE(struct result_gate, "gate", gate_rows, "A rule of the plan, held against it.");

static const struct record_row repeat_rows[] = {
	{MEMBER(struct result_repeat, phase), .doc = "its name"},
	{MEMBER(struct result_repeat, metric), .doc = "throughput, p99_latency"},
	{MEMBER(struct result_repeat, trials), .doc = "that are in these figures"},
	{MEMBER(struct result_repeat, left_out), .doc = "INVALID, or without the figure"},
	{MEMBER(struct result_repeat, median), .doc = "bytes/s, ns"},
	{MEMBER(struct result_repeat, low),
	 .doc = "95 % interval of the median, by order statistics; null: fewer than six trials"},
	{MEMBER(struct result_repeat, high), .doc = "its other end"},
	{MEMBER(struct result_repeat, mean), .doc = "likewise"},
	{MEMBER(struct result_repeat, mean_low),
	 .doc = "95 % interval of the mean, by resampling (BCa); null: fewer than ten trials"},
	{MEMBER(struct result_repeat, mean_high), .doc = "its other end"},
	{MEMBER(struct result_repeat, spread), .doc = "(largest - smallest) / median"},
	{MEMBER(struct result_repeat, variation), .doc = "standard deviation / mean"},
	{MEMBER(struct result_repeat, drift),
	 .doc = "by how much the fitted line moves from the first to the last, of the mean"},
	{MEMBER(struct result_repeat, drift_p), .doc = "that chance does it; null: two trials"},
	{MEMBER(struct result_repeat, detectable),
	 .doc = "the least change that as many trials on either side find, of the mean"},
};
static const struct record_table repeat_table =
	RECORD_TABLE(struct result_repeat, "repeat", repeat_rows,
		     "A figure of the fleet in a phase, over its trials.");

static const struct record_row comparison_rows[] = {
	{MEMBER(struct result_comparison, phase), .doc = "its name"},
	{MEMBER(struct result_comparison, metric), .doc = "as in the gate"},
	{MEMBER(struct result_comparison, against), .doc = "another phase, or baseline"},
	{MEMBER(struct result_comparison, trials), .doc = "of the phase"},
	{MEMBER(struct result_comparison, against_trials), .doc = "of the other"},
	{MEMBER(struct result_comparison, shift),
	 .doc = "Hodges & Lehmann's, percent of the other's median"},
	{MEMBER(struct result_comparison, low), .doc = "95 % interval of it; null: too few"},
	{MEMBER(struct result_comparison, high), .doc = "its other end"},
	{MEMBER(struct result_comparison, p), .doc = "Mann & Whitney's, two-sided"},
	{MEMBER(struct result_comparison, confounded),
	 .doc = "all trials of one side came before the other's"},
	{MEMBER(struct result_comparison, verdict), .doc = "BETTER, WORSE, SAME, INCONCLUSIVE"},
	{MEMBER(struct result_comparison, text), .doc = "why INCONCLUSIVE; else null"},
};
static const struct record_table comparison_table =
	RECORD_TABLE(struct result_comparison, "comparison", comparison_rows,
		     "The trials of a phase against those of another or of a baseline.");

static const struct record_row result_rows[] = {
	{MEMBER(struct result, schema), .required = true, .doc = RESULT_SCHEMA},
	{MEMBER(struct result, outcome), .required = true,
	 .doc = "PASS, FAIL, INVALID, INCONCLUSIVE, REFUSED, NOT_SET_UP"},
	{MEMBER(struct result, reason), .doc = "why it is not PASS"},
	{MEMBER(struct result, run), .doc = "id"},
	{MEMBER(struct result, started_at), .doc = "wall clock, for people"},
	{MEMBER(struct result, version), .doc = "of muster"},
	{MEMBER(struct result, min_window_ns), .unit = UNIT_NS, .fallback = "30s",
	 .doc = "the limit for TOO_SHORT"},
	{MEMBER(struct result, insecure), .doc = "some host spoke without keys"},
	{MEMBER(struct result, baseline),
	 .doc = "the run that gates were held against; null: none"},
	{MEMBER_MAYBE(struct result, plan, plan_table), .doc = "as it was run"},
	{MEMBER_MAYBE(struct result, facts, facts_table),
	 .doc = "what is known of the storage; null: nothing"},
	{MEMBER_LIST(struct result, hosts, host_table), .required = true, .doc = "the fleet"},
	{MEMBER_LIST(struct result, phases, result_phase_table), .required = true,
	 .doc = "in the order run"},
	{MEMBER_LIST(struct result, findings, finding_table), .required = true,
	 .doc = "what was noticed"},
	{MEMBER_LIST(struct result, repeats, repeat_table), .doc = "what trials come to together"},
	{MEMBER_LIST(struct result, comparisons, comparison_table),
	 .doc = "of trials, where a gate has against"},
	{MEMBER_LIST(struct result, gates, gate_table), .doc = "what was demanded"},
};
const struct record_table result_table =
	RECORD_TABLE(struct result, "result", result_rows,
		     "A run. Times are ns on the controller's clock since the run's start.");

static const struct record_row bucket_rows[] = {
	{MEMBER(struct result_bucket, phase), .required = true,
	 .doc = "index from 1 into the run's phases"},
	{MEMBER(struct result_bucket, name), .doc = "of the phase"},
	{MEMBER(struct result_bucket, trial), .doc = "from 1"},
	{MEMBER(struct result_bucket, host), .required = true, .doc = "its name"},
	{MEMBER(struct result_bucket, target), .required = true, .doc = "its name"},
	{MEMBER(struct result_bucket, bucket), .required = true, .doc = "from 0 in each phase"},
	{MEMBER(struct result_bucket, start_ns), .doc = "of the bucket, since the run's start"},
	{MEMBER(struct result_bucket, bucket_ns), .doc = "its width"},
	{MEMBER(struct result_bucket, ramp), .doc = "left out of the figures"},
	{MEMBER(struct result_bucket, bytes), .doc = "completed in the bucket"},
	{MEMBER(struct result_bucket, bytes_read), .required = true, .doc = "of them, read"},
	{MEMBER(struct result_bucket, bytes_written), .required = true, .doc = "of them, written"},
	{MEMBER(struct result_bucket, bytes_trimmed), .doc = "of them, given back by a trim"},
	{MEMBER(struct result_bucket, operations), .required = true, .doc = "that moved bytes"},
	{MEMBER(struct result_bucket, errors), .doc = "failed operations"},
	{MEMBER(struct result_bucket, worst_ns), .doc = "longest latency of them"},
	{MEMBER(struct result_bucket, edge_error_ns), .doc = "how far after start_ns it began"},
	{MEMBER(struct result_bucket, edge_bound_ns), .doc = "the error is within +- this"},
	{MEMBER(struct result_bucket, disrupted), .doc = "the host's clock jumped about then"},
};
const struct record_table result_bucket_table =
	RECORD_TABLE(struct result_bucket, "bucket", bucket_rows,
		     "What one target of one host completed in one bucket: timeline.csv.");

const char *const result_outcome_names[] = {"PASS",    "FAIL",       "INVALID", "INCONCLUSIVE",
					    "REFUSED", "NOT_SET_UP", NULL};

int result_exit_code(enum result_outcome outcome)
{
	static const int codes[] = {
		[RESULT_OUTCOME_PASS] = 0,    [RESULT_OUTCOME_FAIL] = 1,
		[RESULT_OUTCOME_INVALID] = 3, [RESULT_OUTCOME_INCONCLUSIVE] = 4,
		[RESULT_OUTCOME_REFUSED] = 5, [RESULT_OUTCOME_NOT_SET_UP] = 6,
	};

	return codes[outcome];
}

const struct result_host *result_find_host(const struct result *result, uint32_t index,
					   const char *name)
{
	if (index < result->hosts_count && text_is(result->hosts[index].host, name))
		return &result->hosts[index];
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (text_is(result->hosts[h].host, name))
			return &result->hosts[h];
	return NULL;
}

const struct phase *result_plan_phase(const struct result *result, const char *name)
{
	const struct plan *plan = result->plan;

	for (uint32_t i = 0; plan && i < plan->phases_count; i++)
		if (text_is(plan->phases[i].name, name))
			return &plan->phases[i];
	return NULL;
}
