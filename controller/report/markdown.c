/* A summary that a forge shows on a page: outcome, gates, what the phases did, findings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/report/digest.h"
#include "controller/report/layout.h"
#include "controller/report/report.h"
#include "controller/report/summary.h"
#include "controller/report/trials.h"

#define GATES_MOST 60 /* rows: a page is no database */

/* What Markdown or HTML would obey is shown as it is. */
static void put(FILE *file, const char *text)
{
	char *clean = layout_clean(text);

	for (const char *at = clean; *at; at++) {
		if (*at == '<')
			fputs("&lt;", file);
		else if (*at == '&')
			fputs("&amp;", file);
		else if (strchr("\\`*_|~[]>#!", *at))
			fprintf(file, "\\%c", *at);
		else
			fputc(*at, file);
	}
	free(clean);
}

static void put_cell(FILE *file, const char *text)
{
	fputs(" ", file);
	put(file, text);
	fputs(" |", file);
}

/* Struck through where it is INVALID. */
static void put_figure(FILE *file, const char *text, bool invalid)
{
	fputs(invalid ? " ~~" : " ", file);
	put(file, text);
	fputs(invalid ? "~~ |" : " |", file);
}

static void print_gate(const struct result_gate *gate, FILE *file)
{
	char value[UNITS_TEXT_SIZE], interval[GATES_INTERVAL_SIZE], margin[UNITS_TEXT_SIZE];
	char trial[16];

	snprintf(trial, sizeof(trial), "%u", gate->trial);
	fprintf(file, "| **%s** |", text_or(gate->state, "?"));
	put_cell(file, gate->phase);
	put_cell(file, trial);
	put_cell(file, gate->metric);
	put_cell(file, gate->who);
	put_cell(file, gate->limit);
	put_figure(file, gates_format_value(value, gate),
		   text_is(gate->state, "INVALID") && !isnan(gate->value));
	put_cell(file, gates_format_interval(interval, gate));
	put_cell(file, gates_format_margin(margin, gate));
	put_cell(file, text_or(gate->text, ""));
	fputc('\n', file);
}

/* Those that do not hold first, and as many as a page can bear. */
static void print_gates(const struct result *result, FILE *file)
{
	static const char *const states[] = {"FAIL", "INVALID", "INCONCLUSIVE", "PASS"};
	uint32_t printed = 0;

	if (!result->gates_count)
		return;
	fputs("\n### Gates\n\n| gate | phase | trial | metric | of | limit | value | interval | "
	      "margin | why |\n|---|---|---:|---|---|---|---:|---|---:|---|\n",
	      file);
	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++)
		for (uint32_t g = 0; g < result->gates_count; g++)
			if (text_is(result->gates[g].state, states[s]) && printed++ < GATES_MOST)
				print_gate(&result->gates[g], file);
	if (printed > GATES_MOST)
		fprintf(file, "\nand %u more in `run.json`\n", printed - GATES_MOST);
}

/* A cell of a table that text has, too: figures that are struck through there are so here. */
static void put_table_cell(FILE *file, const char *text)
{
	size_t size = strlen(text);
	bool invalid = size > 4 && strncmp(text, "~~", 2) == 0 && text_is(text + size - 2, "~~");
	char *figure = invalid ? mem_format("%.*s", (int)(size - 4), text + 2) : mem_text(text);

	put_figure(file, figure, invalid);
	free(figure);
}

static bool is_empty(const struct layout_table *table, uint32_t column, uint32_t columns)
{
	for (uint32_t i = column; i < table->cells_count; i += columns)
		if (*table->cells[i])
			return false;
	return true;
}

/* Without columns that are empty, as in text. */
static void print_table(const char *title, const struct layout_table *table, FILE *file)
{
	uint32_t columns = 0;
	bool empty[LAYOUT_COLUMNS_MAX];

	while (table->headings[columns])
		columns++;
	for (uint32_t c = 0; c < columns; c++)
		empty[c] = is_empty(table, c, columns);
	fprintf(file, "\n### %s\n\n|", title);
	for (uint32_t c = 0; c < columns; c++)
		if (!empty[c])
			put_cell(file, table->headings[c]);
	fputs("\n|", file);
	for (uint32_t c = 0; c < columns; c++)
		if (!empty[c])
			fputs(table->align[c] == 'r' ? "---:|" : "---|", file);
	for (uint32_t i = 0; i < table->cells_count; i++) {
		if (i % columns == 0)
			fputs("\n|", file);
		if (!empty[i % columns])
			put_table_cell(file, table->cells[i]);
	}
	fputc('\n', file);
	for (uint32_t i = 0; i < table->cells_count; i++)
		free(table->cells[i]);
	free(table->cells);
}

static void print_phases(const struct result *result, FILE *file)
{
	struct layout_table table = {.headings = summary_headings, .align = summary_align};

	summary_rows(&table, result);
	if (table.cells_count)
		print_table("Phases", &table, file);
}

static void print_trials(const struct result *result, FILE *file)
{
	struct layout_table trials = {.headings = trials_headings, .align = trials_align};
	struct layout_table comparisons = {.headings = comparisons_headings,
					   .align = comparisons_align};

	trials_rows(&trials, result);
	if (trials.cells_count)
		print_table("Trials", &trials, file);
	comparisons_rows(&comparisons, result);
	if (comparisons.cells_count)
		print_table("Comparisons", &comparisons, file);
}

static void print_findings(const struct result *result, FILE *file)
{
	struct digest digest;

	digest_init(&digest, result);
	if (digest.count)
		fputs("\n### Findings\n\n", file);
	for (uint32_t e = 0; e < digest.count; e++) {
		const struct result_finding *first = digest.entries[e].first;
		char *line = digest_line(result, &digest.entries[e]);
		fprintf(file, "- **%s** ", text_or(first->level, "?"));
		put(file, first->code);
		fputs(", ", file);
		put(file, line);
		if (first->advice) {
			fputs(" — ", file);
			put(file, first->advice);
		}
		fputc('\n', file);
		free(line);
	}
	if (digest.left_out)
		fprintf(file, "- and %u kinds more in `run.json`\n", digest.left_out);
	digest_release(&digest);
}

void report_markdown(const struct result *result, FILE *file)
{
	fprintf(file, "## muster: %s, ", text_or(result->outcome, "?"));
	put(file, result->plan ? text_or(result->plan->name, "?") : "?");
	fputs("\n\n", file);
	if (result->reason) {
		put(file, result->reason);
		fputs("\n\n", file);
	}
	fputs("run ", file);
	put(file, text_or(result->run, "?"));
	fprintf(file, ", %u host%s, began ", result->hosts_count,
		result->hosts_count == 1 ? "" : "s");
	put(file, text_or(result->started_at, "?"));
	fputc('\n', file);
	print_gates(result, file);
	print_phases(result, file);
	print_trials(result, file);
	print_findings(result, file);
}
