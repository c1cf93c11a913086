/* The part of a phase's report that is about its targets: rates, times, sizes, states. */
#include <math.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"
#include "controller/foreign.h"
#include "controller/report/layout.h"
#include "controller/report/text_phase_inside.h"

/* What a finding makes INVALID is shown struck through. */
const char *text_strike(bool invalid)
{
	return invalid ? "~~" : "";
}

/* MiB/s to three digits and all of those before the point; the heading has the unit. */
static void rate_cell(struct layout_table *table, double bytes_per_s, const char *none,
		      bool invalid)
{
	double rate = bytes_per_s / (1 << 20);

	if (isnan(rate))
		layout_cell(table, "%s", none);
	else
		layout_cell(table, "%s%.*f%s", text_strike(invalid),
			    rate >= 99.95   ? 0
			    : rate >= 9.995 ? 1
					    : 2,
			    rate, text_strike(invalid));
}

/* '-' where there are too few samples, or none. */
static void latency_cell(struct layout_table *table, double ns, bool invalid)
{
	char text[UNITS_TEXT_SIZE];

	if (ns > 0)
		layout_cell(table, "%s%s%s", text_strike(invalid), units_format_ns(text, ns),
			    text_strike(invalid));
	else
		layout_cell(table, "-");
}

static void add_target(struct layout_table *table, const struct result_phase *phase,
		       const char *host, const struct result_target *target, bool invalid)
{
	layout_cell(table, "%s", host);
	layout_cell(table, "%s", text_or(target->target, "?"));
	rate_cell(table, target->throughput_bytes_per_s, "-", invalid);
	rate_cell(table, target->throughput_with_sync_bytes_per_s, "", invalid);
	if (isnan(target->iops))
		layout_cell(table, "%s", "-");
	else
		layout_cell(table, "%s%.0f%s", text_strike(invalid), target->iops,
			    text_strike(invalid));
	latency_cell(table, target->latency_ns.p50, invalid);
	latency_cell(table, target->latency_ns.p99, invalid);
	latency_cell(table, (double)target->latency_ns.max, invalid);
	layout_count(table, target->errors, !phase->errors_unknown || target->errors);
	layout_count(table, target->passes, !text_is(target->engine, FOREIGN_ENGINE));
	layout_cell(table, "%s%s",
		    text_is(target->io, "written through") ? "through" : text_or(target->io, "?"),
		    target->ram ? ", RAM" : "");
}

void text_print_targets(const struct result *result, const struct result_phase *phase, FILE *file)
{
	static const char *const headings[] = {"host", "target", "MiB/s",  "+ sync", "IOPS", "p50",
					       "p99",  "max",    "errors", "passes", "I/O",  NULL};
	struct layout_table table = {.headings = headings, .align = "llrrrrrrrrl"};

	bool any = false;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			const struct result_target *target = &phase->hosts[h].targets[t];
			const char *host = text_or(phase->hosts[h].host, "?");
			bool invalid =
				findings_against(result, phase, host, text_or(target->target, "?"));
			any |= invalid && target->operations;
			add_target(&table, phase, host, target, invalid);
		}
	if (table.cells_count)
		layout_print(&table, INDENT, file);
	if (any)
		layout_paragraph(file, INDENT, "", "~~struck through~~: INVALID, see the findings");
}

static void add_times(struct layout_table *table, const char *host,
		      const struct result_target *target, const char *what,
		      const struct result_latency *times, bool invalid)
{
	layout_cell(table, "%s", host);
	layout_cell(table, "%s", text_or(target->target, "?"));
	layout_cell(table, "%s", what);
	latency_cell(table, times->p50, invalid);
	latency_cell(table, times->p90, invalid);
	latency_cell(table, times->p99, invalid);
	latency_cell(table, times->p999, invalid);
	latency_cell(table, (double)times->max, invalid);
}

/* "1234 of fdatasync". */
static const char *sync_name(char text[64], const struct phase *plan, uint64_t count)
{
	snprintf(text, 64, "%llu of %s", (unsigned long long)count,
		 plan ? phase_sync_call_names[plan->sync_call] : "sync");
	return text;
}

/* Only where there are others than from submit to completion. */
void text_print_times(const struct result *result, const struct result_phase *phase,
		      const struct phase *plan, FILE *file)
{
	static const char *const headings[] = {"host", "target", "time", "p50", "p90",
					       "p99",  "p99.9",  "max",  NULL};
	struct layout_table table = {.headings = headings, .align = "lllrrrrr"};
	char name[64];

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			const struct result_target *target = &phase->hosts[h].targets[t];
			const char *host = text_or(phase->hosts[h].host, "?");
			bool invalid =
				findings_against(result, phase, host, text_or(target->target, "?"));
			if (target->response_ns) {
				add_times(&table, host, target, "service, from submit",
					  &target->latency_ns, invalid);
				add_times(&table, host, target, "response, from due",
					  target->response_ns, invalid);
			}
			if (target->syncs_ns)
				add_times(&table, host, target,
					  sync_name(name, plan, target->syncs), target->syncs_ns,
					  invalid);
		}
	if (!table.cells_count)
		return;
	fputc('\n', file);
	layout_print(&table, INDENT, file);
}

static void add_size(struct layout_table *table, const char *host,
		     const struct result_target *target, const struct done_size *size)
{
	char text[UNITS_TEXT_SIZE];

	layout_cell(table, "%s", host);
	layout_cell(table, "%s", text_or(target->target, "?"));
	layout_cell(table, "%s", units_format_exact(text, size->block_size));
	layout_cell(table, "%llu", (unsigned long long)size->operations);
	layout_cell(table, "%.1f %%",
		    target->operations
			    ? 100.0 * (double)size->operations / (double)target->operations
			    : 0.0);
	layout_cell(table, "%s", units_format_bytes(text, size->bytes_read));
	layout_cell(table, "%s", units_format_bytes(text, size->bytes_written));
}

/* Only of a mix of block sizes. */
void text_print_sizes(const struct result_phase *phase, FILE *file)
{
	static const char *const headings[] = {"host",  "target", "block size", "I/Os",
					       "share", "read",   "written",    NULL};
	struct layout_table table = {.headings = headings, .align = "llrrrrr"};

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			const struct result_target *target = &phase->hosts[h].targets[t];
			for (uint32_t i = 0; i < target->sizes_count; i++)
				add_size(&table, text_or(phase->hosts[h].host, "?"), target,
					 &target->sizes[i]);
		}
	if (!table.cells_count)
		return;
	fputc('\n', file);
	layout_print(&table, INDENT, file);
}

void text_print_states(const struct result_phase *phase, FILE *file)
{
	char at[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (window_host_is_complete(host))
			continue;
		layout_paragraph(
			file, INDENT, "", "host '%s' %s%s%s%s: %s%s", text_or(host->host, "?"),
			text_or(host->state, "unknown"), host->lost_at_ns ? ", " : "",
			host->lost_at_ns ? units_format_ns(at, (double)host->lost_at_ns) : "",
			host->lost_at_ns ? " into the run" : "",
			text_or(host->text, "no reason was given"),
			window_host_bytes(host) ? "; its figures are partial" : "");
	}
}

/* Only where something was verified. */
void text_print_verified(const struct result_phase *phase, FILE *file)
{
	char verified[UNITS_TEXT_SIZE];
	uint64_t bytes = 0, blocks = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++) {
			bytes += phase->hosts[h].targets[t].miscompares.verified_bytes;
			blocks += phase->hosts[h].targets[t].miscompares.blocks;
		}
	if (!bytes)
		return;
	units_format_bytes(verified, bytes);
	if (blocks)
		layout_paragraph(file, INDENT, "",
				 "verified: %s, of which %llu blocks were not as written", verified,
				 (unsigned long long)blocks);
	else
		layout_paragraph(file, INDENT, "", "verified: %s, all as written", verified);
}
