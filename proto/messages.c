#include "proto/messages.h"

static const struct record_row hello_rows[] = {
	{MEMBER(struct hello, version), .doc = "program version, for people"},
	{MEMBER(struct hello, fingerprint), .doc = "hash of all message tables, 16 hex digits"},
	{MEMBER(struct hello, host), .doc = "the sender's host name"},
	{MEMBER(struct hello, program), .doc = "muster or muster-agent"},
};
static const struct record_table hello_table =
	RECORD_TABLE(struct hello, "hello", hello_rows, "Who I am and what I speak.");

static const struct record_row refuse_rows[] = {
	{MEMBER(struct refuse, version), .doc = "program version, for people"},
	{MEMBER(struct refuse, fingerprint), .doc = "hash of all message tables, 16 hex digits"},
	{MEMBER(struct refuse, host), .doc = "the sender's host name"},
	{MEMBER(struct refuse, reason), .doc = "why, one sentence"},
};
static const struct record_table refuse_table =
	RECORD_TABLE(struct refuse, "refuse", refuse_rows, "I do not work with you, and why.");

static const struct record_row lease_rows[] = {
	{MEMBER(struct lease, holder), .required = true, .doc = "who asks: user@host pid N"},
	{MEMBER(struct lease, run), .required = true, .doc = "id of the run"},
	{MEMBER(struct lease, owner), .required = true,
	 .doc = "the run's secret, 64 hex digits: who has it may have what is kept of the run, and "
		"end that"},
	{MEMBER(struct lease, host), .required = true, .doc = "what the plan calls this host"},
	{MEMBER(struct lease, dead_after_ns), .required = true, .min = UINT64_C(3000000000),
	 .max = UINT64_C(60000000000), .doc = "silence in ns after which each side acts alone"},
	{MEMBER(struct lease, clock_key), .required = true,
	 .doc = "of the clock datagrams: 64 hex digits"},
	{MEMBER(struct lease, clock_session), .doc = "that the clock datagrams carry"},
};
static const struct record_table lease_table =
	RECORD_TABLE(struct lease, "lease", lease_rows,
		     "Asks for the agent; the token is the frame's second value.");

static const struct record_row kept_phase_rows[] = {
	{MEMBER(struct kept_phase, number), .doc = "of the phase in its run"},
	{MEMBER(struct kept_phase, attempt), .doc = "at it"},
	{MEMBER(struct kept_phase, bytes), .doc = "in the spool"},
};
static const struct record_table kept_phase_table =
	RECORD_TABLE(struct kept_phase, "kept_phase", kept_phase_rows, "A phase in the spool.");

static const struct record_row kept_run_rows[] = {
	{MEMBER(struct kept_run, run), .required = true, .doc = "its id"},
	{MEMBER(struct kept_run, holder), .required = true, .doc = "whose lease it was"},
	{MEMBER(struct kept_run, owner), .doc = "SHA-256 of the run's secret; none: not known"},
	{MEMBER(struct kept_run, since), .required = true, .doc = "UTC: nothing was added after"},
	{MEMBER(struct kept_run, bytes), .doc = "in the spool"},
	{MEMBER_LIST(struct kept_run, phases, kept_phase_table), .doc = "in order"},
};
const struct record_table kept_run_table =
	RECORD_TABLE(struct kept_run, "kept_run", kept_run_rows,
		     "Results that no controller has said to have on its own disk.");

static const struct record_row leased_rows[] = {
	{MEMBER(struct leased, system), .required = true, .doc = "operating system"},
	{MEMBER(struct leased, kernel), .required = true, .doc = "its release"},
	{MEMBER(struct leased, hostname), .required = true, .doc = "what the host calls itself"},
	{MEMBER(struct leased, boot_id), .required = true,
	 .doc = "same for all agents on one running kernel"},
	{MEMBER(struct leased, cpus), .doc = "that the agent may use"},
	{MEMBER(struct leased, memory_bytes), .doc = "RAM of the host"},
	{MEMBER(struct leased, uptime_s), .doc = "seconds since boot"},
	{MEMBER(struct leased, container), .doc = "docker, podman, jail, zone, ...; empty: none"},
	{MEMBER(struct leased, memory_limit_bytes),
	 .doc = "of its container or control group; 0: none"},
	{MEMBER(struct leased, cpu_limit_thousandths),
	 .doc = "likewise, thousandths of a CPU; 0: none"},
	{MEMBER(struct leased, io_limit), .doc = "likewise, for people; empty: none"},
	{MEMBER(struct leased, insecure), .doc = "listens beyond the loopback without keys"},
	{MEMBER_LIST(struct leased, kept, kept_run_table),
	 .doc = "results of earlier runs that wait to be collected: the lease's own first"},
	{MEMBER(struct leased, kept_more), .doc = "how many runs beside these"},
	{MEMBER_LIST(struct leased, left, name_table),
	 .doc = "files that muster made earlier and could not remove"},
	{MEMBER(struct leased, left_more), .doc = "how many files beside these"},
};
const struct record_table leased_table =
	RECORD_TABLE(struct leased, "leased", leased_rows, "The agent is the asker's; what it is.");

static const struct record_row prepare_rows[] = {
	{MEMBER(struct prepare, run), .required = true, .doc = "id of the run"},
	{MEMBER(struct prepare, seed), .doc = "of the data that is written"},
	{MEMBER(struct prepare, number),
	 .doc = "of the phase in the run: orders random offsets anew"},
	{MEMBER(struct prepare, trial), .doc = "that the phase belongs to; 0: a check's"},
	{MEMBER(struct prepare, plan_crc), .doc = "CRC-32 of the plan's file"},
	{MEMBER(struct prepare, run_start_ns),
	 .doc = "when the run began on the controller's clock"},
	{MEMBER(struct prepare, bucket_ns), .required = true, .min = 1000000,
	 .max = UINT64_C(60000000000), .doc = "width of a timeline bucket"},
	{MEMBER(struct prepare, kept_phase),
	 .doc = "the controller has the phases up to it on its own disk; 0: none"},
	{MEMBER(struct prepare, io_timeout_ns), .required = true, .min = 1000000000,
	 .max = UINT64_C(3600000000000), .doc = "a request outstanding for longer is stuck"},
	{MEMBER(struct prepare, check),
	 .doc = "true: only say whether it could be run; an abort follows"},
	{MEMBER_ONE(struct prepare, phase, phase_table), .doc = "what to do"},
	{MEMBER_LIST(struct prepare, targets, target_table), .doc = "every target of this host"},
};
const struct record_table prepare_table =
	RECORD_TABLE(struct prepare, "prepare", prepare_rows,
		     "Check, make and lay out the phase's targets, then park the workers.");

static const struct record_row progress_rows[] = {
	{MEMBER(struct progress, target), .required = true, .doc = "that is being laid out"},
	{MEMBER(struct progress, done_bytes), .doc = "written so far"},
	{MEMBER(struct progress, total_bytes), .doc = "to be written"},
};
static const struct record_table progress_table =
	RECORD_TABLE(struct progress, "progress", progress_rows, "How far a lay-out is.");

static const struct record_row stuck_rows[] = {
	{MEMBER(struct stuck, target), .required = true, .doc = "that the request is on"},
	{MEMBER(struct stuck, offset),
	 .doc = "of the request, in the target; 2^64 - 1: it is an fsync"},
	{MEMBER(struct stuck, waited_ns), .doc = "how long it has been outstanding"},
	{MEMBER(struct stuck, text), .required = true, .doc = "the same as a sentence"},
};
static const struct record_table stuck_table = RECORD_TABLE(
	struct stuck, "stuck", stuck_rows,
	"A request, or the opening of a target, is outstanding for longer than io_timeout; each "
	"second while it is.");

const char *const target_io_names[] = {"direct", "written through", "buffered", "none", NULL};
static const struct record_row ready_target_rows[] = {
	{MEMBER(struct ready_target, target), .required = true, .doc = "its name"},
	{MEMBER(struct ready_target, extent_bytes), .doc = "bytes that the phase may touch"},
	{MEMBER(struct ready_target, alignment_bytes),
	 .doc = "of offset and length for direct I/O; 0: unknown"},
	{MEMBER(struct ready_target, io), .names = target_io_names,
	 .doc = "whether I/O is direct, written through (btrfs), buffered, or none"},
	{MEMBER(struct ready_target, ram), .doc = "held in memory"},
	{MEMBER(struct ready_target, no_topology),
	 .doc = "its device has a number, and the system says nothing of it (no sysfs)"},
	{MEMBER(struct ready_target, engine), .required = true, .doc = "that issues the I/O"},
	{MEMBER(struct ready_target, engine_reason), .doc = "why that one"},
	{MEMBER(struct ready_target, file_system), .doc = "type; absent for a device and null"},
};
const struct record_table ready_target_table = RECORD_TABLE(
	struct ready_target, "ready_target", ready_target_rows, "What a target turned out to be.");

static const struct record_row ready_place_rows[] = {
	{MEMBER(struct ready_place, target), .required = true, .doc = "of which it is"},
	{MEMBER(struct ready_place, path), .required = true, .doc = "without links"},
	{MEMBER(struct ready_place, is_device), .doc = "else a file"},
	{MEMBER(struct ready_place, is_made), .doc = "not there, and would be made"},
	{MEMBER(struct ready_place, bytes), .doc = "that the phase may touch, from 0 on"},
	{MEMBER(struct ready_place, layout_bytes),
	 .doc = "of these what is laid out first, unless a phase before has written it"},
	{MEMBER(struct ready_place, identity), .doc = "of a device"},
	{MEMBER(struct ready_place, data),
	 .doc = "what was found on a device that would be written to: signatures, a table"},
};
static const struct record_table ready_place_table =
	RECORD_TABLE(struct ready_place, "place", ready_place_rows, "A file or device of a phase.");

static const struct record_row ready_rows[] = {
	{MEMBER_LIST(struct ready, targets, ready_target_table),
	 .doc = "what they turned out to be"},
	{MEMBER_LIST(struct ready, places, ready_place_table),
	 .doc = "what becomes of which file and device; only in answer to a check"},
	{MEMBER_LIST(struct ready, notes, name_table), .doc = "warnings for the report"},
	{MEMBER(struct ready, buffer_bytes), .doc = "memory held for this phase"},
	{MEMBER(struct ready, spool_bytes),
	 .doc = "the most that its results may take of the spool"},
};
const struct record_table ready_table =
	RECORD_TABLE(struct ready, "ready", ready_rows, "Everything is open and parked.");

static const char *const failed_names[] = {"refused", "broken", NULL};
static const struct record_row failed_rows[] = {
	{MEMBER(struct failed, kind), .names = failed_names,
	 .doc = "refused: said no before any I/O of this phase; broken: tried and failed"},
	{MEMBER(struct failed, code), .doc = "of the finding that it is; absent: none of its own"},
	{MEMBER(struct failed, target), .doc = "which; absent: none in particular"},
	{MEMBER(struct failed, text), .required = true, .doc = "why, one sentence"},
};
const struct record_table failed_table =
	RECORD_TABLE(struct failed, "failed", failed_rows, "The phase was not prepared.");

static const struct record_row start_rows[] = {
	{MEMBER(struct start, at_ns), .doc = "the start instant on the agent's clock"},
	{MEMBER(struct start, end_ns), .doc = "a timed phase's end on the agent's clock; 0: none"},
	{MEMBER(struct start, drift_ppb), .doc = "of the agent's clock: bucket k begins at at_ns + "
						 "k*bucket_ns*(1 + drift_ppb/10^9)"},
	{MEMBER(struct start, controller_ns), .doc = "at_ns on the controller's clock"},
	{MEMBER(struct start, bound_ns), .doc = "at_ns is within this; 0: unknown"},
};
static const struct record_table start_table =
	RECORD_TABLE(struct start, "start", start_rows, "Begin at that instant.");

static const struct record_row amend_rows[] = {
	{MEMBER(struct amend, bucket), .doc = "from which on it holds; 0: the start itself"},
	{MEMBER(struct amend, at_ns), .doc = "when that bucket begins on the agent's clock"},
	{MEMBER(struct amend, end_ns), .doc = "as in start"},
	{MEMBER(struct amend, drift_ppb), .doc = "as in start"},
	{MEMBER(struct amend, number),
	 .doc = "of the amends to this host in this attempt, from 1: one holds once, however often "
		"it comes"},
};
static const struct record_table amend_table =
	RECORD_TABLE(struct amend, "amend", amend_rows, "The estimate has moved the borders.");

static const struct record_row amended_rows[] = {
	{MEMBER(struct amended, number), .doc = "of the amend"},
	{MEMBER(struct amended, taken), .doc = "false: too late, or too far"},
};
static const struct record_table amended_table =
	RECORD_TABLE(struct amended, "amended", amended_rows, "Whether an amend holds.");

static const char *const disruption_names[] = {"gap", "suspend", "step", "frequency", NULL};
static const struct record_row disruption_rows[] = {
	{MEMBER(struct disruption, kind), .names = disruption_names, .doc = "what happened"},
	{MEMBER(struct disruption, from_ns), .doc = "agent's clock: after this"},
	{MEMBER(struct disruption, to_ns), .doc = "and before this"},
	{MEMBER(struct disruption, amount_ns), .doc = "how long, or how far"},
};
const struct record_table disruption_table =
	RECORD_TABLE(struct disruption, "disruption", disruption_rows,
		     "Something happened to the agent's clock, or to the agent itself.");

static const struct record_row late_rows[] = {
	{MEMBER(struct late, at_ns), .doc = "the instant that was asked for"},
	{MEMBER(struct late, now_ns), .doc = "the agent's clock when it was read"},
};
static const struct record_table late_table = RECORD_TABLE(
	struct late, "late", late_rows, "The instant had passed; nothing was started.");

static const struct record_row timeline_bucket_rows[] = {
	{MEMBER(struct timeline_bucket, target), .doc = "index into the phase's targets"},
	{MEMBER(struct timeline_bucket, bucket), .doc = "number of the bucket since the start"},
	{MEMBER(struct timeline_bucket, bytes_read), .doc = "to add"},
	{MEMBER(struct timeline_bucket, bytes_written), .doc = "to add"},
	{MEMBER(struct timeline_bucket, operations), .doc = "to add"},
	{MEMBER(struct timeline_bucket, errors), .doc = "to add"},
	{MEMBER(struct timeline_bucket, worst_ns), .doc = "largest latency: the maximum counts"},
};
static const struct record_table timeline_bucket_table =
	RECORD_TABLE(struct timeline_bucket, "timeline_bucket", timeline_bucket_rows,
		     "What was completed in a bucket since the last batch.");

static const struct record_row timeline_rows[] = {
	{MEMBER(struct timeline, sequence), .doc = "number of the batch, from 1, shared with done"},
	{MEMBER_LIST(struct timeline, buckets, timeline_bucket_table), .doc = "increments"},
};
const struct record_table timeline_table =
	RECORD_TABLE(struct timeline, "timeline", timeline_rows,
		     "A batch of the timeline; sent again until acknowledged.");

static const struct record_row histogram_bin_rows[] = {
	{MEMBER(struct histogram_bin, index), .max = 4607,
	 .doc = "of the log-linear bucket, p = 7"},
	{MEMBER(struct histogram_bin, count), .doc = "samples in it"},
};
static const struct record_table histogram_bin_table = RECORD_TABLE(
	struct histogram_bin, "histogram_bin", histogram_bin_rows, "One non-empty latency bucket.");

static const struct record_row done_latency_rows[] = {
	{MEMBER(struct done_latency, max_ns), .doc = "exact"},
	{MEMBER_LIST(struct done_latency, bins, histogram_bin_table), .doc = "the histogram"},
};
static const struct record_table done_latency_table =
	RECORD_TABLE(struct done_latency, "done_latency", done_latency_rows,
		     "Times beside those from submit to completion, after the ramp.");

static const struct record_row done_target_rows[] = {
	{MEMBER(struct done_target, target), .required = true, .doc = "its name"},
	{MEMBER(struct done_target, bytes_read),
	 .doc = "after the ramp, counted apart from buckets"},
	{MEMBER(struct done_target, bytes_written), .doc = "likewise"},
	{MEMBER(struct done_target, ramp_bytes_read), .doc = "during the ramp"},
	{MEMBER(struct done_target, ramp_bytes_written), .doc = "during the ramp"},
	{MEMBER(struct done_target, operations), .doc = "after the ramp that moved bytes"},
	{MEMBER(struct done_target, errors), .doc = "after the ramp that failed"},
	{MEMBER(struct done_target, ramp_operations), .doc = "during the ramp"},
	{MEMBER(struct done_target, ramp_errors), .doc = "during the ramp"},
	{MEMBER(struct done_target, passes), .doc = "whole passes of the slowest worker"},
	{MEMBER(struct done_target, first_io_ns), .doc = "first submit; 0: none"},
	{MEMBER(struct done_target, last_io_ns), .doc = "last completion; 0: none"},
	{MEMBER(struct done_target, sync_ns), .doc = "time of the fsync at the end"},
	{MEMBER(struct done_target, max_latency_ns), .doc = "exact, after the ramp"},
	{MEMBER_LIST(struct done_target, latency, histogram_bin_table), .doc = "after the ramp"},
	{MEMBER_MAYBE(struct done_target, response, done_latency_table),
	 .doc = "from when an I/O was due to its completion; absent: the phase has no rate"},
	{MEMBER_MAYBE(struct done_target, syncs, done_latency_table),
	 .doc = "of the syncs after sync_every writes each; absent: none were asked for"},
	{MEMBER_LIST(struct done_target, sizes, done_size_table),
	 .doc = "each size of a mix of block sizes; else empty"},
	{MEMBER_LIST(struct done_target, io_errors, io_error_table),
	 .doc = "what failed, by kind; empty: nothing"},
	{MEMBER(struct done_target, first_error), .doc = "a sentence with offset; absent: none"},
	{MEMBER_ONE(struct done_target, miscompares, miscompares_table),
	 .doc = "what was verified, and was not as written"},
};
static const struct record_table done_target_table = RECORD_TABLE(
	struct done_target, "done_target", done_target_rows, "Totals of one target in one phase.");

static const struct record_row done_device_rows[] = {
	{MEMBER(struct done_device, device), .required = true, .doc = "the kernel's name"},
	{MEMBER(struct done_device, under),
	 .doc = "the device above it that these bytes pass through too; absent: a top one"},
	{MEMBER_LIST(struct done_device, targets, name_table), .doc = "that use it"},
	{MEMBER(struct done_device, read_before), .doc = "bytes since boot, before the phase"},
	{MEMBER(struct done_device, read_after), .doc = "and after it"},
	{MEMBER(struct done_device, written_before), .doc = "bytes since boot, before the phase"},
	{MEMBER(struct done_device, written_after), .doc = "and after it and its sync"},
};
static const struct record_table done_device_table = RECORD_TABLE(
	struct done_device, "done_device", done_device_rows, "A device's own byte counters.");

static const struct record_row done_worker_rows[] = {
	{MEMBER(struct done_worker, target), .required = true, .doc = "on which it worked"},
	{MEMBER(struct done_worker, worker), .doc = "its number, from 0"},
	{MEMBER(struct done_worker, first_submit_ns), .doc = "0: no I/O"},
	{MEMBER(struct done_worker, last_completion_ns), .doc = "0: no I/O"},
	{MEMBER(struct done_worker, operations), .doc = "with ramp and errors"},
	{MEMBER(struct done_worker, cpus), .doc = "that it was bound to; absent: to none"},
};
static const struct record_table done_worker_table =
	RECORD_TABLE(struct done_worker, "done_worker", done_worker_rows,
		     "When one worker truly began and ended.");

const char *const done_state_names[] = {"complete", "aborted", "broken", NULL};
static const struct record_row done_rows[] = {
	{MEMBER(struct done, sequence), .doc = "the last batch's number + 1"},
	{MEMBER(struct done, state), .names = done_state_names, .doc = "how it ended"},
	{MEMBER(struct done, code), .doc = "of the finding that it is; absent: none of its own"},
	{MEMBER(struct done, text), .doc = "why aborted or broken"},
	{MEMBER_LIST(struct done, start_refusals, name_table),
	 .doc = "what the system refused for a punctual start"},
	{MEMBER(struct done, start_spin_ns),
	 .doc = "how long workers spun before it; 0: they slept"},
	{MEMBER_LIST(struct done, targets, done_target_table), .doc = "in the phase's order"},
	{MEMBER_LIST(struct done, devices, done_device_table), .doc = "empty: unknown"},
	{MEMBER_LIST(struct done, workers, done_worker_table), .doc = "all of them"},
	{MEMBER(struct done, process_read_bytes), .doc = "that the kernel charged to the agent"},
	{MEMBER(struct done, process_written_bytes), .doc = "likewise"},
	{MEMBER(struct done, cpu_ns), .doc = "processor time of the agent in this phase"},
	{MEMBER(struct done, frozen_from_ns), .doc = "when the next began, on the agent's clock"},
	{MEMBER(struct done, frozen_ns),
	 .doc = "longest time in which the agent itself did not run (stopped, or starved)"},
};
const struct record_table done_table =
	RECORD_TABLE(struct done, "done", done_rows,
		     "The phase is over on this host; sent again until acknowledged.");

static const struct record_row ack_rows[] = {
	{MEMBER(struct ack, sequence), .doc = "all up to this one have arrived"},
};
static const struct record_table ack_table =
	RECORD_TABLE(struct ack, "ack", ack_rows, "The agent may forget what is acknowledged.");

static const struct record_row abort_rows[] = {
	{MEMBER(struct abort_load, reason), .required = true, .doc = "why, one sentence"},
};
static const struct record_table abort_table =
	RECORD_TABLE(struct abort_load, "abort", abort_rows, "Stop the load now; done follows.");

static const struct record_row release_rows[] = {
	{MEMBER(struct release, keep), .doc = "true: files stay, whatever their target says"},
	{MEMBER(struct release, kept_phase), .doc = "as in prepare"},
};
static const struct record_table release_table =
	RECORD_TABLE(struct release, "release", release_rows, "Remove what you made and be free.");

static const struct record_row released_rows[] = {
	{MEMBER_LIST(struct released, removed, name_table), .doc = "paths"},
	{MEMBER_LIST(struct released, left, name_table), .doc = "paths and why they are left"},
};
const struct record_table released_table =
	RECORD_TABLE(struct released, "released", released_rows, "The agent is free again.");

static const struct record_row heartbeat_rows[] = {
	{MEMBER(struct heartbeat, now_ns), .doc = "the sender's clock"},
	{MEMBER(struct heartbeat, state), .doc = "the agent's state, 0 from a controller"},
	{MEMBER(struct heartbeat, agent_ns), .doc = "from a controller, in a phase: what the "
						    "agent's clock shows at now_ns; 0: unknown"},
	{MEMBER(struct heartbeat, bound_ns), .doc = "within this"},
	{MEMBER(struct heartbeat, heard_ns),
	 .doc = "from an agent: now_ns of the controller's newest that came; what was sent before "
		"that one has come, or is lost"},
};
static const struct record_table heartbeat_table =
	RECORD_TABLE(struct heartbeat, "heartbeat", heartbeat_rows, "I am alive; each second.");

static const struct record_row probe_rows[] = {
	{MEMBER(struct probe, t1_ns), .doc = "sent, on the controller's clock"},
};
static const struct record_table probe_table =
	RECORD_TABLE(struct probe, "probe", probe_rows, "Clock exchange, first half.");

static const struct record_row probed_rows[] = {
	{MEMBER(struct probed, t1_ns), .doc = "as it came"},
	{MEMBER(struct probed, t2_ns), .doc = "received, on the agent's clock"},
	{MEMBER(struct probed, t3_ns), .doc = "answered, on the agent's clock"},
};
static const struct record_table probed_table =
	RECORD_TABLE(struct probed, "probed", probed_rows, "Clock exchange, second half.");

static const struct record_row fetch_rows[] = {
	{MEMBER(struct fetch, run), .required = true, .doc = "id of the run"},
	{MEMBER(struct fetch, phase), .doc = "its number; 0: the run's lease"},
	{MEMBER(struct fetch, attempt), .doc = "at it"},
	{MEMBER(struct fetch, offset), .doc = "in what is kept; 0, then next of the answer"},
};
static const struct record_table fetch_table =
	RECORD_TABLE(struct fetch, "fetch", fetch_rows,
		     "Send what is kept: frames as they were, and fetched behind them.");

static const struct record_row fetched_rows[] = {
	{MEMBER(struct fetched, run), .required = true, .doc = "as asked"},
	{MEMBER(struct fetched, phase), .doc = "as asked"},
	{MEMBER(struct fetched, attempt), .doc = "as asked"},
	{MEMBER(struct fetched, offset), .doc = "as asked"},
	{MEMBER(struct fetched, next), .doc = "where the next frames begin"},
	{MEMBER(struct fetched, frames), .doc = "how many of it came right before this"},
	{MEMBER(struct fetched, is_end), .doc = "there are no more"},
	{MEMBER(struct fetched, torn_bytes), .doc = "at the end, not whole: the agent died there"},
	{MEMBER(struct fetched, error), .doc = "why it cannot be read; absent: it was"},
};
static const struct record_table fetched_table =
	RECORD_TABLE(struct fetched, "fetched", fetched_rows, "The end of what a fetch asked for.");

static const struct record_row forget_rows[] = {
	{MEMBER(struct forget, run), .required = true, .doc = "id of the run"},
};
static const struct record_table forget_table =
	RECORD_TABLE(struct forget, "forget", forget_rows,
		     "The asker has all of the run on its own disk: remove it.");

const struct message_type message_types[MESSAGE_KINDS] = {
	[MESSAGE_HELLO] = {"hello", &hello_table, "first words, fixed for ever", true, true},
	[MESSAGE_REFUSE] = {"refuse", &refuse_table, "fixed for ever", true, false},
	[MESSAGE_LEASE] = {"lease", &lease_table, "asks for the agent", false, true},
	[MESSAGE_LEASED] = {"leased", &leased_table, "grants it", true, false},
	[MESSAGE_PREPARE] = {"prepare", &prepare_table, "a phase is next", false, true},
	[MESSAGE_PROGRESS] = {"progress", &progress_table, "of a lay-out", true, false},
	[MESSAGE_READY] = {"ready", &ready_table, "at the barrier", true, false},
	[MESSAGE_FAILED] = {"failed", &failed_table, "not at the barrier", true, false},
	[MESSAGE_START] = {"start", &start_table, "the start instant", false, true},
	[MESSAGE_LATE] = {"late", &late_table, "the instant had passed", true, false},
	[MESSAGE_TIMELINE] = {"timeline", &timeline_table, "what was done", true, false},
	[MESSAGE_DONE] = {"done", &done_table, "the phase is over", true, false},
	[MESSAGE_ACK] = {"ack", &ack_table, "it has arrived", false, true},
	[MESSAGE_ABORT] = {"abort", &abort_table, "stop the load", false, true},
	[MESSAGE_RELEASE] = {"release", &release_table, "clean up", false, true},
	[MESSAGE_RELEASED] = {"released", &released_table, "cleaned up", true, false},
	[MESSAGE_HEARTBEAT] = {"heartbeat", &heartbeat_table, "alive", true, true},
	[MESSAGE_PROBE] = {"probe", &probe_table, "clock exchange", false, true},
	[MESSAGE_PROBED] = {"probed", &probed_table, "clock exchange", true, false},
	[MESSAGE_AMEND] = {"amend", &amend_table, "borders have moved", false, true},
	[MESSAGE_AMENDED] = {"amended", &amended_table, "taken or not", true, false},
	[MESSAGE_DISRUPTION] = {"disruption", &disruption_table, "of a clock", true, false},
	[MESSAGE_FETCH] = {"fetch", &fetch_table, "what is kept of a run", false, true},
	[MESSAGE_FETCHED] = {"fetched", &fetched_table, "that was it", true, false},
	[MESSAGE_FORGET] = {"forget", &forget_table, "what is kept of a run", false, true},
	[MESSAGE_STUCK] = {"stuck", &stuck_table, "I/O does not come back", true, false},
};
