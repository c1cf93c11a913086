/* layout.h - columns and paragraphs on a terminal that is LAYOUT_WIDTH characters wide.
 *
 * Texts may come from other hosts: what a terminal would obey (control characters, bidirectional
 * marks) or could not show (bytes that are not UTF-8) is printed as '?'. */
#ifndef MUSTER_CONTROLLER_REPORT_LAYOUT_H
#define MUSTER_CONTROLLER_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/units.h"

#define LAYOUT_WIDTH 100

/* A copy of `text` that is safe to print; "" for NULL. The caller's to free. */
char *layout_clean(const char *text);

/* A time that somebody chose: as units_format_ns, without zeros at its end: "10 s", "1.5 s". */
char *layout_ns(char text[UNITS_TEXT_SIZE], uint64_t ns);

/* Prints the formatted text broken at blanks: the first line behind `indent` blanks and `head`,
 * which is short and clean, the others below it. */
void layout_paragraph(FILE *file, int indent, const char *head, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A table: cells are added row by row. Zero it but for `headings` and `align`, which are lent. */
#define LAYOUT_COLUMNS_MAX 16
struct layout_table {
	const char *const *headings; /* ends with NULL; at most LAYOUT_COLUMNS_MAX */
	const char *align;           /* a letter a column: l or r, or w, left and whole */
	char **cells;
	uint32_t cells_count;
};
void layout_cell(struct layout_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A number, '-' where nobody told it. */
void layout_count(struct layout_table *table, uint64_t count, bool is_known);

/* Prints it and frees the cells. A column whose cells are all empty is left out; where the rows
 * would be too wide, those that have to stay whole go on beneath, broken at blanks, and then the
 * widest columns of names are cut, which "…" shows. */
void layout_print(struct layout_table *table, int indent, FILE *file);

#endif
