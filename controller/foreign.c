#include "controller/foreign.h"

#include <stdlib.h>

static const struct record_row sample_rows[] = {
	{MEMBER(struct foreign_sample, time_s), .required = true,
	 .doc = "where it begins, once for each host and target; it lasts until the next begins, "
		"the "
		"last as long as most do. What it tells is spread evenly over its time"},
	{MEMBER(struct foreign_sample, host), .doc = "needed where there are several"},
	{MEMBER(struct foreign_sample, target), .doc = "needed where the phase has several"},
	{MEMBER(struct foreign_sample, bytes), .doc = "moved in that time; or:"},
	{MEMBER(struct foreign_sample, bytes_per_s), .doc = "the rate; or:"},
	{MEMBER(struct foreign_sample, operations), .doc = "operations, which with block_size tell "
							   "the bytes; or:"},
	{MEMBER(struct foreign_sample, operations_per_s), .doc = "operations a second"},
	{MEMBER(struct foreign_sample, errors),
	 .doc = "failed operations, a whole number; where it is not told, a gate on errors is "
		"INCONCLUSIVE"},
	{MEMBER(struct foreign_sample, line), .computed = true, .doc = "where it stood"},
};
const struct record_table foreign_sample_table = RECORD_TABLE(
	struct foreign_sample, "timeline", sample_rows, "Throughput over time: a line of CSV.");

static const struct record_row total_rows[] = {
	{MEMBER(struct foreign_total, host), .doc = "needed where there are several"},
	{MEMBER(struct foreign_total, target), .doc = "needed where the phase has several"},
	{MEMBER(struct foreign_total, worker),
	 .doc = "a worker's name, where a line is of one worker; the target's are added up"},
	{MEMBER(struct foreign_total, start_s), .doc = "when it began, on a clock that all share"},
	{MEMBER(struct foreign_total, end_s), .doc = "when it ended"},
	{MEMBER(struct foreign_total, seconds),
	 .doc = "how long it took, where only that is known"},
	{MEMBER(struct foreign_total, bytes), .doc = "moved"},
	{MEMBER(struct foreign_total, bytes_per_s), .doc = "with the bytes it tells the time, or "
							   "with the time the bytes"},
	{MEMBER(struct foreign_total, operations),
	 .doc = "that moved them; where they are not told, the bytes over block_size"},
	{MEMBER(struct foreign_total, operations_per_s), .doc = "likewise"},
	{MEMBER(struct foreign_total, errors),
	 .doc = "failed operations, a whole number; where it is not told, a gate on errors is "
		"INCONCLUSIVE"},
	{MEMBER(struct foreign_total, line), .computed = true, .doc = "where it stood"},
};
const struct record_table foreign_total_table = RECORD_TABLE(
	struct foreign_total, "moved", total_rows,
	"What a target of a host did in all: a line of `totals`, or an element of `moved`.");

const char *const foreign_count_names[] = {"bytes_read",      "bytes_written", "sectors_read",
					   "sectors_written", "reads",         "writes",
					   "read_ms",         "write_ms",      NULL};

static const struct record_row counter_rows[] = {
	{MEMBER(struct foreign_counter, host), .doc = "needed where there are several"},
	{MEMBER(struct foreign_counter, device), .required = true, .doc = "its name"},
	{MEMBER(struct foreign_counter, under),
	 .doc = "the device above, whose bytes these are too; empty: a top one"},
	{MEMBER(struct foreign_counter, target), .doc = "whose bytes moved on it; empty: all"},
	{MEMBER(struct foreign_counter, counter), .names = foreign_count_names, .required = true,
	 .doc = "what is counted; sectors are of 512 bytes"},
	{MEMBER(struct foreign_counter, before), .doc = "before the phase; empty: 0"},
	{MEMBER(struct foreign_counter, after), .required = true, .doc = "after it"},
	{MEMBER(struct foreign_counter, line), .computed = true, .doc = "where it stood"},
};
const struct record_table foreign_counter_table =
	RECORD_TABLE(struct foreign_counter, "counters", counter_rows,
		     "A counter of a device before and after the phase: a line of CSV.");

static const struct record_row tick_rows[] = {
	{MEMBER(struct foreign_tick, host), .doc = "needed where there are several"},
	{MEMBER(struct foreign_tick, realtime_s), .required = true, .doc = "wall clock"},
	{MEMBER(struct foreign_tick, monotonic_s), .required = true,
	 .doc = "the clock that stands still while the host sleeps"},
	{MEMBER(struct foreign_tick, boottime_s), .required = true, .doc = "the one that goes on"},
	{MEMBER(struct foreign_tick, bytes), .doc = "moved since the line before"},
	{MEMBER(struct foreign_tick, line), .computed = true, .doc = "where it stood"},
};
const struct record_table foreign_tick_table = RECORD_TABLE(
	struct foreign_tick, "ticks", tick_rows, "What a host's clocks showed: a line of CSV.");

static const struct record_row beat_rows[] = {
	{MEMBER(struct foreign_beat, host), .required = true, .doc = "of which"},
	{MEMBER(struct foreign_beat, sent_s), .doc = "when it was sent, where that is known"},
	{MEMBER(struct foreign_beat, arrived_s), .required = true, .doc = "when it arrived"},
	{MEMBER(struct foreign_beat, line), .computed = true, .doc = "where it stood"},
};
const struct record_table foreign_beat_table =
	RECORD_TABLE(struct foreign_beat, "heartbeats", beat_rows,
		     "When something was heard of a host: a line of CSV.");

static const struct record_row host_rows[] = {
	{MEMBER(struct foreign_host, host), .required = true, .doc = "its name"},
	{MEMBER(struct foreign_host, os), .doc = "hosts of other systems are not compared"},
	{MEMBER(struct foreign_host, memory), .unit = UNIT_BYTES, .doc = "its RAM"},
	{MEMBER(struct foreign_host, arc_most), .unit = UNIT_BYTES,
	 .doc = "that ZFS keeps in memory at most"},
	{MEMBER_LIST(struct foreign_host, labels, plan_label_table), .keyed = true,
	 .doc = "hosts with others are not compared"},
};
static const struct record_table host_table =
	RECORD_TABLE(struct foreign_host, "host", host_rows,
		     "A host that should be in each phase; one without figures is missing.");

static const struct record_row phase_host_rows[] = {
	{MEMBER(struct foreign_phase_host, host), .required = true, .doc = "its name"},
	{MEMBER(struct foreign_phase_host, agent_elapsed), .unit = UNIT_NS,
	 .doc = "how long it took by the host's clock"},
	{MEMBER(struct foreign_phase_host, controller_elapsed), .unit = UNIT_NS,
	 .doc = "how long it took by another clock"},
	{MEMBER(struct foreign_phase_host, disk_full), .fallback = "false",
	 .doc = "its space ran out before the end"},
	{MEMBER(struct foreign_phase_host, round_trip), .unit = UNIT_NS,
	 .doc = "between the two, which excuses as much"},
};
static const struct record_table phase_host_table = RECORD_TABLE(
	struct foreign_phase_host, "measured_host", phase_host_rows, "A host in one phase.");

static const struct record_row measured_rows[] = {
	{MEMBER(struct foreign_measured, phase), .required = true, .doc = "a name of `phases`"},
	{MEMBER(struct foreign_measured, trial), .fallback = "1", .min = 1, .max = 1000,
	 .doc = "which repeat"},
	{MEMBER(struct foreign_measured, controller),
	 .doc = "the controller through which it went, where the same targets were on several; a "
		"link of that name tells its ceiling"},
	{MEMBER(struct foreign_measured, hung), .fallback = "false",
	 .doc = "true: it never ended, and there is no figure"},
	{MEMBER(struct foreign_measured, bucket), .unit = UNIT_NS, .min = 1000000,
	 .doc = "the time of a line of the timeline, an error where lines lie otherwise, and the "
		"width of the result's buckets; without it each lasts to the next, and buckets are "
		"as wide as the median of what lies between two lines of a host and target"},
	{MEMBER(struct foreign_measured, timeline), .doc = "CSV beside this file"},
	{MEMBER(struct foreign_measured, totals), .doc = "CSV beside this file"},
	{MEMBER(struct foreign_measured, counters), .doc = "CSV beside this file"},
	{MEMBER(struct foreign_measured, ticks), .doc = "CSV beside this file"},
	{MEMBER(struct foreign_measured, heartbeats), .doc = "CSV beside this file"},
	{MEMBER_LIST(struct foreign_measured, moved, foreign_total_table),
	 .doc = "what `totals` would have"},
	{MEMBER_LIST(struct foreign_measured, hosts, phase_host_table), .keyed = true,
	 .doc = "what its hosts' clocks say"},
	{MEMBER_LIST(struct foreign_measured, samples, foreign_sample_table), .computed = true,
	 .doc = "of timeline"},
	{MEMBER_LIST(struct foreign_measured, counts, foreign_counter_table), .computed = true,
	 .doc = "of counters"},
	{MEMBER_LIST(struct foreign_measured, clock, foreign_tick_table), .computed = true,
	 .doc = "of ticks"},
	{MEMBER_LIST(struct foreign_measured, beats, foreign_beat_table), .computed = true,
	 .doc = "of heartbeats"},
};
static const struct record_table measured_table =
	RECORD_TABLE(struct foreign_measured, "measured", measured_rows,
		     "What came of a phase. One without any of it is only looked at as a plan.");

static const struct record_row foreign_rows[] = {
	{MEMBER(struct foreign, judge), .required = true, .min = 1, .max = 1,
	 .doc = "version of this schema: 1"},
	{MEMBER(struct foreign, name), .fallback = "foreign", .doc = "what reports call it"},
	{MEMBER(struct foreign, min_window), .unit = UNIT_NS, .fallback = "30s",
	 .doc = "a phase measured for less is INVALID (TOO_SHORT)"},
	{MEMBER(struct foreign, suspect_after), .unit = UNIT_NS, .fallback = "3s", .min = 1,
	 .doc = "a host that is silent for longer is suspected"},
	{MEMBER(struct foreign, dead_after), .unit = UNIT_NS, .fallback = "10s", .min = 1,
	 .doc = "one that is silent for longer is lost"},
	{MEMBER_LIST(struct foreign, hosts, host_table), .keyed = true,
	 .doc = "all that should have taken part; without it, those that the figures name"},
	{MEMBER_LIST(struct foreign, targets, target_table), .keyed = true,
	 .doc = "the plan's targets, where there is something to say of them, such as `members`"},
	{MEMBER_LIST(struct foreign, phases, phase_table),
	 .doc = "what was asked for, as in a plan; `direct` left out is not known"},
	{MEMBER_LIST(struct foreign, gates, plan_gate_table), .doc = "as in a plan"},
	{MEMBER_LIST(struct foreign, storage, fact_storage_table), .keyed = true,
	 .doc = "what stands beneath targets, by name"},
	{MEMBER_LIST(struct foreign, links, fact_link_table), .keyed = true, .doc = "by name"},
	{MEMBER_LIST(struct foreign, sweeps, fact_sweep_table), .keyed = true, .doc = "by name"},
	{MEMBER_LIST(struct foreign, measured, measured_table), .doc = "what came of it"},
};
const struct record_table foreign_table =
	RECORD_TABLE(struct foreign, "judge", foreign_rows, "The file that `muster judge` reads.");

void foreign_release(struct foreign *foreign)
{
	free(foreign->direct_told);
	record_release(&foreign_table, foreign);
}
