#include "controller/report/text_phase.h"

#include <math.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"
#include "controller/report/blocks.h"
#include "controller/report/layout.h"
#include "controller/report/text_engines.h"
#include "controller/report/text_phase_inside.h"

/* ---- heading ---- */

#define BLOCKS_SIZE 512

/* "1MiB", or "4KiB 70 %, 64KiB 30 %". */
static char *format_blocks(char text[BLOCKS_SIZE], const struct phase *plan)
{
	char size[UNITS_TEXT_SIZE];
	size_t used = 0;

	snprintf(text, BLOCKS_SIZE, "%s", units_format_exact(size, plan->block_size));
	for (uint32_t i = 0; i < plan->block_mix_count && used < BLOCKS_SIZE; i++)
		used += (size_t)snprintf(text + used, BLOCKS_SIZE - used, "%s%s %u %%",
					 i ? ", " : "",
					 units_format_exact(size, plan->block_mix[i].size),
					 plan->block_mix[i].share);
	return text;
}

static const char *access_of(const struct phase *plan)
{
	if (plan->access == PHASE_ACCESS_SEQUENTIAL)
		return "sequential";
	return phase_covers(plan) ? "random, each block once a pass" : "random";
}

/* "4 workers a target, 1MiB blocks, sequential, runtime 60 s, ramp 5 s" */
static void print_demand(const struct result_phase *phase, const struct phase *plan, FILE *file)
{
	char block[BLOCKS_SIZE], ns[UNITS_TEXT_SIZE], mix[48] = "", end[128] = "", ramp[64] = "",
						      rate[96] = "", sync[48] = "";

	if (!plan) {
		layout_paragraph(file, INDENT, "", "%s", text_or(phase->op, "?"));
		return;
	}
	if (plan->op == PHASE_OP_IDLE) {
		layout_paragraph(file, INDENT, "", "idle for %s", layout_ns(ns, plan->runtime));
		return;
	}
	if (plan->op == PHASE_OP_MIXED)
		snprintf(mix, sizeof(mix), " (%u %% reads)", plan->read_percent);
	if (plan->op == PHASE_OP_FILL)
		snprintf(end, sizeof(end), ", %u pass%s", plan->passes,
			 plan->passes == 1 ? "" : "es");
	if (plan->runtime)
		snprintf(end, sizeof(end), ", runtime %s", layout_ns(ns, plan->runtime));
	if (phase->ramp_ns)
		snprintf(ramp, sizeof(ramp), ", ramp %s", layout_ns(ns, phase->ramp_ns));
	if (plan->sync_every)
		snprintf(sync, sizeof(sync), ", %s every %u writes",
			 phase_sync_call_names[plan->sync_call], plan->sync_every);
	if (plan->rate)
		snprintf(rate, sizeof(rate), ", held to %s a target", plan->rate);
	layout_paragraph(file, INDENT, "",
			 "%s%s, %s, %s blocks, %u worker%s a target, queue depth %u%s%s%s%s%s%s",
			 phase_op_names[plan->op], mix, access_of(plan), format_blocks(block, plan),
			 plan->workers, plan->workers == 1 ? "" : "s", plan->queue_depth,
			 plan->size ? ", size " : "", plan->size ? plan->size : "", end, ramp, rate,
			 sync);
}

static void print_heading(const struct result *result, uint32_t index, FILE *file)
{
	const struct result_phase *phase = &result->phases[index];
	const struct phase *plan = result_plan_phase(result, phase->name);
	char skew[UNITS_TEXT_SIZE], bound[UNITS_TEXT_SIZE], start[UNITS_TEXT_SIZE],
		stop[UNITS_TEXT_SIZE], trial[32] = "", within[160];

	if (result->plan && result->plan->repeat > 1)
		snprintf(trial, sizeof(trial), ", trial %u of %u", phase->trial,
			 result->plan->repeat);
	layout_paragraph(file, 0, "", "Phase %u of %u: %s%s", index + 1, result->phases_count,
			 text_or(phase->name, "?"), trial);
	print_demand(phase, plan, file);
	if (!phase->start_ns)
		return;
	if (plan && plan->op == PHASE_OP_IDLE) {
		layout_paragraph(file, INDENT, "", "began %s into the run",
				 units_format_ns(start, (double)phase->start_ns));
		return;
	}
	if (phase->start_skew_bound_ns >= INT64_MAX)
		snprintf(within, sizeof(within), "how closely together is not known");
	else
		snprintf(within, sizeof(within), "all within %s +- %s, ended within %s",
			 units_format_ns(skew, (double)phase->start_skew_ns),
			 units_format_ns(bound, (double)phase->start_skew_bound_ns),
			 units_format_ns(stop, (double)phase->stop_skew_ns));
	layout_paragraph(file, INDENT, "", "began %s into the run, %s%s",
			 units_format_ns(start, (double)phase->start_ns), within,
			 plan && plan->allow_ram ? "; allow_ram: targets in memory are accepted"
						 : "");
}

/* ---- devices ---- */

static void targets_cell(struct layout_table *table, const struct result_device *device)
{
	char text[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < device->targets_count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					 text_or(device->targets[i].name, "?"));
	layout_cell(table, "%s", text);
}

static void add_device(struct layout_table *table, const struct result_phase *phase, uint32_t host,
		       const struct result_device *device)
{
	char moved[UNITS_TEXT_SIZE], engine[UNITS_TEXT_SIZE];
	uint64_t engine_bytes = 0;

	for (uint32_t i = 0; i < device->targets_count; i++) {
		const struct result_target *target =
			devices_target(phase, host, device->targets[i].name);
		engine_bytes += target ? devices_engine_bytes(target) : 0;
	}
	layout_cell(table, "%s", text_or(phase->hosts[host].host, "?"));
	layout_cell(table, "%s%s%s", text_or(device->device, "?"), device->under ? " under " : "",
		    text_or(device->under, ""));
	targets_cell(table, device);
	layout_cell(table, "%s", units_format_bytes(engine, engine_bytes));
	layout_cell(table, "%s", units_format_bytes(moved, devices_moved_bytes(phase, device)));
	if (device->under)
		layout_cell(table, "%s", "-");
	else if (isnan(device->share))
		layout_cell(table, "%s", "unknown");
	else
		layout_cell(table, "%.3f", device->share);
}

static void print_devices(const struct result_phase *phase, FILE *file)
{
	static const char *const headings[] = {"host",      "device", "bytes of", "by engine",
					       "by device", "share",  NULL};
	struct layout_table table = {.headings = headings, .align = "lllrrr"};

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t d = 0; d < phase->hosts[h].devices_count; d++)
			add_device(&table, phase, h, &phase->hosts[h].devices[d]);
	if (!table.cells_count)
		return;
	fputc('\n', file);
	layout_print(&table, INDENT, file);
}

/* ---- the cluster ---- */

static void add_rate(struct layout_table *table, const char *name, double bytes_per_s,
		     bool headline, bool invalid)
{
	char rate[UNITS_TEXT_SIZE];

	layout_cell(table, "%s", name);
	if (isnan(bytes_per_s))
		layout_cell(table, "none");
	else
		layout_cell(table, "%s%s%s", text_strike(invalid),
			    units_format_rate(rate, bytes_per_s), text_strike(invalid));
	layout_cell(table, "%s", headline ? "headline" : "");
}

static void print_rates(const struct result_phase *phase, const struct result_cluster *cluster,
			bool invalid, FILE *file)
{
	char hosts[64], ns[UNITS_TEXT_SIZE], from[UNITS_TEXT_SIZE];
	const char *const headings[] = {hosts, "throughput", "", "", NULL};
	struct layout_table table = {.headings = headings, .align = "lrll"};
	bool timed = text_is(cluster->headline, "all_active");
	struct window_interval span = window_span(phase), overlap = window_overlap(phase);

	snprintf(hosts, sizeof(hosts), "cluster, %u of %u", cluster->hosts, cluster->of);
	add_rate(&table, "all-active window", cluster->all_active_bytes_per_s, timed, invalid);
	if (cluster->all_active_window_ns)
		layout_cell(&table, "together for %s, from %s into the phase",
			    units_format_ns(ns, (double)cluster->all_active_window_ns),
			    units_format_ns(from, (double)(cluster->all_active_start_ns -
							   phase->start_ns)));
	else
		layout_cell(&table, "%s",
			    overlap.end_ns ? "together for less than a whole bucket"
					   : "never all active together");
	add_rate(&table, "span", cluster->span_bytes_per_s, !timed, invalid);
	layout_cell(&table, "first start to last end, %s",
		    units_format_ns(ns, (double)(span.end_ns - span.start_ns)));
	add_rate(&table, "sum of averages", cluster->sum_of_averages_bytes_per_s, false, invalid);
	if (isnan(cluster->gap))
		layout_cell(&table, "for comparison only");
	else
		layout_cell(&table, "%.3f of the headline; for comparison only", cluster->gap);
	layout_print(&table, INDENT, file);
}

#define LATENCY_SIZE 256

/* "p50 80.1 us, p99 1.2 ms, max 3 ms", without what there are too few samples for. */
static char *format_latency(char text[LATENCY_SIZE], const struct result_latency *latency)
{
	const struct {
		const char *name;
		double ns;
	} rows[] = {{"p50", latency->p50},
		    {"p90", latency->p90},
		    {"p99", latency->p99},
		    {"p99.9", latency->p999},
		    {"max", (double)latency->max}};
	char ns[UNITS_TEXT_SIZE];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].ns > 0)
			used += (size_t)snprintf(text + used, LATENCY_SIZE - used, "%s%s %s",
						 used ? ", " : "", rows[i].name,
						 units_format_ns(ns, rows[i].ns));
	if (!used)
		snprintf(text, LATENCY_SIZE, "unknown");
	return text;
}

static void print_latency(const struct result_cluster *cluster, bool invalid, FILE *file)
{
	const char *strike = text_strike(invalid);
	char text[LATENCY_SIZE];

	format_latency(text, &cluster->latency_ns);
	if (isnan(cluster->iops))
		layout_paragraph(file, INDENT, "", "%slatency %s%s", strike, text, strike);
	else
		layout_paragraph(file, INDENT, "", "%s%.0f IOPS; latency %s%s", strike,
				 cluster->iops, text, strike);
	if (cluster->syncs_ns)
		layout_paragraph(file, INDENT, "", "%ssyncs: %s%s", strike,
				 format_latency(text, cluster->syncs_ns), strike);
	if (cluster->response_ns)
		layout_paragraph(file, INDENT, "", "%sresponse, from when an I/O was due: %s%s",
				 strike, format_latency(text, cluster->response_ns), strike);
}

static void print_cluster(const struct result *result, const struct result_phase *phase,
			  const struct phase_series *series, FILE *file)
{
	const struct result_cluster *cluster =
		phase->cluster ? phase->cluster : phase->cluster_partial;

	if (!cluster)
		return;
	fputc('\n', file);
	if (!cluster->hosts)
		layout_paragraph(file, INDENT, "",
				 "no host's figures stand, so the fleet has none");
	else if (!phase->cluster)
		layout_paragraph(file, INDENT, "",
				 "not all hosts' figures stand: what follows is of those that do, "
				 "is no figure of the fleet and is held against no gate");
	if (cluster->hosts) {
		bool invalid = phase->cluster && findings_against(result, phase, NULL, NULL);
		print_rates(phase, cluster, invalid, file);
		print_latency(cluster, invalid, file);
	}
	blocks_print(phase, series, INDENT, file);
}

void text_phase_print(const struct result *result, uint32_t index,
		      const struct phase_series *series, FILE *file)
{
	const struct result_phase *phase = &result->phases[index];

	print_heading(result, index, file);
	text_print_states(phase, file);
	text_print_verified(phase, file);
	/* without a start no host was told to, and there is nothing to show */
	if (phase->start_ns && text_is(phase->op, "idle")) {
		print_devices(phase, file);
	} else if (phase->start_ns) {
		text_engines_print(phase, INDENT, file);
		text_print_targets(result, phase, file);
		text_print_times(result, phase, result_plan_phase(result, phase->name), file);
		text_print_sizes(phase, file);
		print_devices(phase, file);
		print_cluster(result, phase, series, file);
	}
	fputc('\n', file);
}
