#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/report/digest.h"
#include "controller/report/layout.h"
#include "controller/report/report.h"
#include "controller/report/summary.h"
#include "controller/report/text_phase.h"
#include "controller/report/trials.h"

#define INDENT     2
#define NOTES_MOST 6 /* run.json has all */

/* ---- head ---- */

static void print_head(const struct result *result, FILE *file)
{
	const char *name = result->plan ? text_or(result->plan->name, "?") : "?";

	layout_paragraph(file, 0, "", "muster %s: plan '%s', run %s, began %s",
			 text_or(result->version, ""), name, text_or(result->run, "?"),
			 text_or(result->started_at, "?"));
	if (result->reason)
		layout_paragraph(file, 0, "", "%s: %s", text_or(result->outcome, "?"),
				 result->reason);
	else
		layout_paragraph(file, 0, "", "%s", text_or(result->outcome, "?"));
	fputc('\n', file);
}

/* What somebody who accepts the hosts reads first; how it was measured comes after. */
static void print_summary(const struct result *result, FILE *file)
{
	struct layout_table table = {.headings = summary_headings, .align = summary_align};

	summary_rows(&table, result);
	if (!table.cells_count)
		return;
	layout_paragraph(file, 0, "", "Summary");
	layout_print(&table, INDENT, file);
	fputc('\n', file);
}

static void labels_cell(struct layout_table *table, const struct result_host *host)
{
	char text[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < host->labels_count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s", i ? " " : "",
					 text_or(host->labels[i].name, "?"),
					 text_or(host->labels[i].value, ""));
	layout_cell(table, "%s", text);
}

/* '-' where it was not told, as everywhere here. */
static void uptime_cell(struct layout_table *table, uint64_t seconds)
{
	if (!seconds)
		layout_cell(table, "-");
	else if (seconds < 2 * 3600)
		layout_cell(table, "%llu min", (unsigned long long)(seconds / 60));
	else if (seconds < 2 * 86400)
		layout_cell(table, "%llu h", (unsigned long long)(seconds / 3600));
	else
		layout_cell(table, "%llu d", (unsigned long long)(seconds / 86400));
}

static void round_trip_cell(struct layout_table *table, const struct result_clock *clock,
			    uint64_t ns)
{
	char text[UNITS_TEXT_SIZE];

	layout_cell(table, "%s", clock->exchanges ? units_format_ns(text, (double)ns) : "-");
}

/* Above this a bound is worth a word: a thousandth of a bucket of 100 ms. */
#define WIDE_BOUND_NS (100 * NS_PER_US)

/* How each host's clock stood to the controller's. */
static void print_clocks(const struct result *result, FILE *file)
{
	static const char *const headings[] = {"host",           "clock offset", "within",
					       "drift ppm",      "stamp",        "exchanges",
					       "round trip p50", "p99",          NULL};
	struct layout_table table = {.headings = headings, .align = "lrrrlrrr"};
	char text[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < result->hosts_count; h++) {
		const struct result_clock *clock = &result->hosts[h].clock;
		layout_cell(&table, "%s", text_or(result->hosts[h].host, "?"));
		if (!clock->known) {
			layout_cell(&table, "unknown");
			layout_cell(&table, "-");
			layout_cell(&table, "-");
		} else {
			layout_cell(&table, "%.9f s", (double)clock->offset_ns / 1e9);
			layout_cell(&table, "%s", units_format_ns(text, (double)clock->bound_ns));
			layout_cell(&table, "%.3f +- %.3f", (double)clock->drift_ppb / 1e3,
				    (double)(clock->drift_hi_ppb - clock->drift_lo_ppb) / 2e3);
		}
		layout_cell(&table, "%s", text_or(clock->stamp, "-"));
		layout_count(&table, clock->exchanges, clock->exchanges > 0);
		round_trip_cell(&table, clock, clock->rtt_p50_ns);
		round_trip_cell(&table, clock, clock->rtt_p99_ns);
	}
	if (!table.cells_count)
		return;
	layout_paragraph(file, 0, "", "Clocks");
	layout_print(&table, INDENT, file);
	fputc('\n', file);
}

/* What a container or a control group leaves to an agent: no figure of it is the host's alone. */
static void print_limits(const struct result_host *host, FILE *file)
{
	const char *container = text_or(host->container, ""), *io = text_or(host->io_limit, "");
	char memory[UNITS_TEXT_SIZE], text[512] = "", cpus[32];
	size_t used = 0;

	if (host->memory_limit_bytes)
		used += (size_t)snprintf(text, sizeof(text), ", memory at most %s",
					 units_format_bytes(memory, host->memory_limit_bytes));
	if (host->cpu_limit_thousandths) {
		snprintf(cpus, sizeof(cpus), "%.3g", host->cpu_limit_thousandths / 1e3);
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", at most %s CPUs",
					 cpus);
	}
	if (*io)
		snprintf(text + used, sizeof(text) - used, ", at most %s", io);
	if (*container)
		layout_paragraph(file, 0, "  ", "%s: in a container (%s)%s",
				 text_or(host->host, "?"), container, text);
	else if (*text)
		layout_paragraph(file, 0, "  ", "%s: limited by its control group: %s",
				 text_or(host->host, "?"), text + 2);
}

static void print_hosts(const struct result *result, FILE *file)
{
	static const char *const headings[] = {"host", "os",     "kernel", "labels",
					       "cpus", "memory", "up",     NULL};
	struct layout_table table = {.headings = headings, .align = "llllrrr"};
	char memory[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < result->hosts_count; h++) {
		const struct result_host *host = &result->hosts[h];
		layout_cell(&table, "%s", text_or(host->host, "?"));
		layout_cell(&table, "%s", text_or(host->os, ""));
		layout_cell(&table, "%s", text_or(host->kernel, ""));
		labels_cell(&table, host);
		layout_count(&table, host->cpus, host->cpus > 0);
		layout_cell(&table, "%s",
			    host->memory_bytes ? units_format_bytes(memory, host->memory_bytes)
					       : "-");
		uptime_cell(&table, host->uptime_s);
	}
	if (!table.cells_count)
		return;
	layout_paragraph(file, 0, "", "Hosts");
	layout_print(&table, INDENT, file);
	for (uint32_t h = 0; h < result->hosts_count; h++)
		print_limits(&result->hosts[h], file);
	fputc('\n', file);
	print_clocks(result, file);
}

/* What a person can do about a bound: where stamps come from and how long the path is. */
static void print_clock_advice(const struct result_host *host, FILE *file)
{
	const struct result_clock *clock = &host->clock;
	char text[UNITS_TEXT_SIZE];

	if (!clock->known)
		layout_paragraph(file, 0, "  ",
				 "warning: host '%s': no exchange came back; nothing can be "
				 "said of its clock",
				 text_or(host->host, "?"));
	else if (clock->bound_ns > WIDE_BOUND_NS && clock->zeromq * 2 > clock->exchanges)
		layout_paragraph(file, 0, "  ",
				 "warning: host '%s': known within %s only, since UDP does not get "
				 "through: open the agent's port for UDP too",
				 text_or(host->host, "?"),
				 units_format_ns(text, (double)clock->bound_ns));
	else if (clock->bound_ns > WIDE_BOUND_NS && clock->user * 2 > clock->exchanges)
		layout_paragraph(file, 0, "  ",
				 "warning: host '%s': known within %s only, since a side's kernel "
				 "does not stamp datagrams",
				 text_or(host->host, "?"),
				 units_format_ns(text, (double)clock->bound_ns));
	else if (clock->bound_ns > WIDE_BOUND_NS)
		layout_paragraph(
			file, 0, "  ",
			"warning: host '%s': known within %s only: the fastest round trip "
			"takes %s",
			text_or(host->host, "?"), units_format_ns(text, (double)clock->bound_ns),
			units_format_ns((char[UNITS_TEXT_SIZE]){0}, (double)clock->rtt_min_ns));
	if (clock->disruptions_count)
		layout_paragraph(file, 0, "  ",
				 "warning: host '%s': its clock was disrupted %u times meanwhile",
				 text_or(host->host, "?"), clock->disruptions_count);
}

void report_fleet(const struct result *result, FILE *file)
{
	print_hosts(result, file);
	for (uint32_t h = 0; h < result->hosts_count; h++)
		print_clock_advice(&result->hosts[h], file);
}

/* ---- findings ---- */

static void print_findings(const struct result *result, FILE *file)
{
	struct digest digest;

	digest_init(&digest, result);
	if (digest.count)
		layout_paragraph(file, 0, "", "Findings");
	for (uint32_t e = 0; e < digest.count; e++) {
		const struct result_finding *first = digest.entries[e].first;
		char *line = digest_line(result, &digest.entries[e]), level[16];
		snprintf(level, sizeof(level), "%-9s", text_or(first->level, "?"));
		layout_paragraph(file, INDENT, level, "%s, %s", text_or(first->code, "?"), line);
		if (first->advice)
			layout_paragraph(file, INDENT + 9, "-> ", "%s", first->advice);
		free(line);
	}
	if (digest.left_out)
		layout_paragraph(file, INDENT, "", "and %u kinds more, which run.json has",
				 digest.left_out);
	if (digest.count)
		fputc('\n', file);
	digest_release(&digest);
}

/* The first host that says it, and how many say the same. */
static void print_note(const struct result *result, const struct result_finding *note, FILE *file)
{
	const struct result_finding *end = result->findings + result->findings_count;
	uint32_t others = 0;
	char more[48] = "";

	for (const struct result_finding *f = note + 1; f < end; f++)
		others += digest_is_aside(f) && text_is(f->evidence, note->evidence);
	if (others)
		snprintf(more, sizeof(more), " and %u more host%s", others, others == 1 ? "" : "s");
	layout_paragraph(file, INDENT, "- ", "host '%s'%s: %s", text_or(note->host, "?"), more,
			 text_or(note->evidence, ""));
}

static bool was_said(const struct result *result, const struct result_finding *note)
{
	for (const struct result_finding *f = result->findings; f < note; f++)
		if (digest_is_aside(f) && text_is(f->evidence, note->evidence))
			return true;
	return false;
}

/* What says nothing about the figures. */
static void print_notes(const struct result *result, FILE *file)
{
	uint32_t count = 0;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!digest_is_aside(finding) || was_said(result, finding))
			continue;
		if (!count++)
			layout_paragraph(file, 0, "", "Notes");
		if (count <= NOTES_MOST)
			print_note(result, finding, file);
	}
	if (count > NOTES_MOST)
		layout_paragraph(file, INDENT, "- ", "and %u more, which run.json has",
				 count - NOTES_MOST);
	if (count)
		fputc('\n', file);
}

/* ---- gates ---- */

/* Why those that were not judged were not, and which are not resolved. */
static void print_reasons(const struct result *result, FILE *file)
{
	uint32_t count = 0;

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *gate = &result->gates[g];
		if (gate->text && ++count <= NOTES_MOST)
			layout_paragraph(file, INDENT, "", "%s, %s of %s in phase '%s': %s",
					 text_or(gate->state, "?"), text_or(gate->metric, "?"),
					 text_or(gate->who, "?"), text_or(gate->phase, "?"),
					 gate->text);
	}
	if (count > NOTES_MOST)
		layout_paragraph(file, INDENT, "", "and %u more, which run.json has",
				 count - NOTES_MOST);
}

static void value_cell(struct layout_table *table, const struct result_gate *gate)
{
	char value[UNITS_TEXT_SIZE];
	bool invalid = text_is(gate->state, "INVALID") && !isnan(gate->value);

	gates_format_value(value, gate);
	layout_cell(table, invalid ? "~~%s~~" : "%s", value);
}

static void print_gates(const struct result *result, FILE *file)
{
	static const char *const headings[] = {"gate",  "phase", "trial",    "metric", "of",
					       "limit", "value", "interval", "margin", NULL};
	struct layout_table table = {.headings = headings, .align = "wlrwlwrwr"};
	char interval[GATES_INTERVAL_SIZE], margin[UNITS_TEXT_SIZE];

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *gate = &result->gates[g];
		layout_cell(&table, "%s", text_or(gate->state, "?"));
		layout_cell(&table, "%s", text_or(gate->phase, "?"));
		layout_cell(&table, "%u", gate->trial);
		layout_cell(&table, "%s", text_or(gate->metric, "?"));
		layout_cell(&table, "%s", text_or(gate->who, "?"));
		layout_cell(&table, "%s", text_or(gate->limit, "?"));
		value_cell(&table, gate);
		layout_cell(&table, "%s", gates_format_interval(interval, gate));
		layout_cell(&table, "%s", gates_format_margin(margin, gate));
	}
	if (!table.cells_count)
		return;
	layout_paragraph(file, 0, "", "Gates");
	layout_print(&table, INDENT, file);
	print_reasons(result, file);
	fputc('\n', file);
}

/* ---- trials ---- */

/* Why those that are INCONCLUSIVE are: too long for a column. */
static void print_doubts(const struct result *result, FILE *file)
{
	for (uint32_t c = 0; c < result->comparisons_count; c++)
		if (result->comparisons[c].text)
			layout_paragraph(file, INDENT, "", "%s against %s: %s",
					 text_or(result->comparisons[c].phase, "?"),
					 text_or(result->comparisons[c].against, "?"),
					 result->comparisons[c].text);
}

static void print_trials(const struct result *result, FILE *file)
{
	struct layout_table trials = {.headings = trials_headings, .align = trials_align};
	struct layout_table comparisons = {.headings = comparisons_headings,
					   .align = comparisons_align};

	trials_rows(&trials, result);
	if (trials.cells_count) {
		layout_paragraph(file, 0, "", "Trials");
		layout_print(&trials, INDENT, file);
		fputc('\n', file);
	}
	comparisons_rows(&comparisons, result);
	if (comparisons.cells_count) {
		layout_paragraph(file, 0, "", "Comparisons");
		layout_print(&comparisons, INDENT, file);
		print_doubts(result, file);
		fputc('\n', file);
	}
}

/* ---- foot ---- */

static void print_foot(const struct result *result, const char *directory, FILE *file)
{
	int outcome =
		result->outcome ? record_enum_find(result_outcome_names, result->outcome) : -1;
	char least[UNITS_TEXT_SIZE];

	layout_paragraph(file, 0, "Limit:   ", "min_window %s (30 s unless the plan sets it)",
			 layout_ns(least, result->min_window_ns));
	if (result->baseline)
		layout_paragraph(file, 0, "Baseline: ", "run %s", result->baseline);
	for (uint32_t p = 0; result->plan && p < result->plan->phases_count; p++)
		if (result->plan->phases[p].allow_ram)
			layout_paragraph(file, 0, "Limit:   ",
					 "allow_ram in phase '%s': its targets may be in memory",
					 text_or(result->plan->phases[p].name, "?"));
	if (outcome >= 0)
		layout_paragraph(file, 0, "Outcome: ", "%s, exit %d%s%s", result->outcome,
				 result_exit_code((enum result_outcome)outcome),
				 result->reason ? ": " : "", text_or(result->reason, ""));
	layout_paragraph(file, 0, "Results: ", "%s",
			 text_or(directory, "not written: exit 6, whatever the outcome"));
}

void report_text(const struct result *result, const struct result_series *series,
		 const char *directory, FILE *file)
{
	print_head(result, file);
	print_summary(result, file);
	print_hosts(result, file);
	for (uint32_t p = 0; p < result->phases_count; p++)
		text_phase_print(result, p, series && series->phases ? &series->phases[p] : NULL,
				 file);
	print_trials(result, file);
	print_findings(result, file);
	print_gates(result, file);
	print_notes(result, file);
	print_foot(result, directory, file);
}
