#include "controller/report/explain.h"

#include <stddef.h>

#include "common/nearest.h"
#include "common/text.h"
#include "controller/analysis/catalogue.h"
#include "controller/report/layout.h"

/* ---- explain ---- */

static void print_list(FILE *file)
{
	for (size_t p = 0; catalogue_parts[p]; p++) {
		fprintf(file, "%s%s\n", p ? "\n" : "", catalogue_parts[p]->title);
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++) {
			const struct catalogue_row *row = &catalogue_parts[p]->rows[r];
			char head[64];
			snprintf(head, sizeof(head), "%-23s %-15s ", row->code, row->levels);
			layout_paragraph(file, 2, head, "%s", row->meaning);
		}
	}
}

int explain(const char *code, FILE *file, struct error *err)
{
	const struct catalogue_row *row = catalogue_find(code);

	if (!code) {
		print_list(file);
		return 0;
	}
	if (row) {
		layout_paragraph(file, 0, "", "%s (%s)", row->code, row->levels);
		layout_paragraph(file, 2, "means:  ", "%s", row->meaning);
		layout_paragraph(file, 2, "rule:   ", "%s", row->rule);
		layout_paragraph(file, 2, "source: ", "%s", row->source);
		if (row->advice)
			layout_paragraph(file, 2, "do:     ", "%s", row->advice);
		return 0;
	}
	struct nearest nearest = nearest_start(code);
	for (size_t p = 0; catalogue_parts[p]; p++)
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++)
			nearest_try(&nearest, catalogue_parts[p]->rows[r].code);
	error_set(err, ERROR_USAGE, "there is no finding '%.80s'%s%s%s", code,
		  nearest.name ? "; did you mean '" : "; 'muster explain' alone lists them",
		  text_or(nearest.name, ""), nearest.name ? "'?" : "");
	return -1;
}

/* ---- FINDINGS.md ---- */

/* A cell must not end at a bar of the text. */
static void print_cell(FILE *file, const char *text)
{
	for (; *text; text++)
		if (*text == '|')
			fputs("\\|", file);
		else
			fputc(*text, file);
}

static void print_row(FILE *file, const struct catalogue_row *row)
{
	const char *const cells[] = {row->levels, row->meaning, row->rule, row->source,
				     text_or(row->advice, "")};

	fprintf(file, "| `%s` |", row->code);
	for (size_t c = 0; c < sizeof(cells) / sizeof(cells[0]); c++) {
		fputc(' ', file);
		print_cell(file, cells[c]);
		fputs(" |", file);
	}
	fputc('\n', file);
}

void explain_page(FILE *file)
{
	fputs("# Findings\n\n"
	      "Printed from the table by `make docs`; do not edit. `muster explain CODE` prints "
	      "one "
	      "of them.\n\n"
	      "REFUSE: nothing was done. INVALID: the figure may be shown, struck through, and "
	      "feeds no gate, no\nbaseline and no total. WARN qualifies a figure, NOTE is what its "
	      "reader should know.\n",
	      file);
	for (size_t p = 0; catalogue_parts[p]; p++) {
		fprintf(file,
			"\n## %s\n\n| code | level | means | rule | source | what to do |\n"
			"|---|---|---|---|---|---|\n",
			catalogue_parts[p]->title);
		for (uint32_t r = 0; r < catalogue_parts[p]->count; r++)
			print_row(file, &catalogue_parts[p]->rows[r]);
	}
}
