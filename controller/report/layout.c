#include "controller/report/layout.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/utf8.h"

#define CUT_LEAST 8 /* no column of text becomes narrower */

/* ---- characters ---- */

static int width(const char *text)
{
	int count = 0;

	for (; *text; text += utf8_step(text))
		count++;
	return count;
}

char *layout_clean(const char *text)
{
	char *clean = mem_text(text ? text : "");

	utf8_make_shown(clean);
	return clean;
}

char *layout_ns(char text[UNITS_TEXT_SIZE], uint64_t ns)
{
	char *unit = strchr(units_format_ns(text, (double)ns), ' ');
	char *end = unit;

	if (!unit || !memchr(text, '.', (size_t)(unit - text)))
		return text;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	memmove(end, unit, strlen(unit) + 1);
	return text;
}

static void print_blanks(FILE *file, int count)
{
	fprintf(file, "%*s", count > 0 ? count : 0, "");
}

/* ---- paragraphs ---- */

static char *format_text(const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char *text = mem_new(length > 0 ? (size_t)length + 1 : 1, 1), *clean;
	vsnprintf(text, length > 0 ? (size_t)length + 1 : 1, format, args);
	clean = layout_clean(text);
	free(text);
	return clean;
}

void layout_paragraph(FILE *file, int indent, const char *head, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = format_text(format, args), *rest = NULL;
	va_end(args);
	int left = indent + width(head), column = left;
	print_blanks(file, indent);
	fputs(head, file);
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		bool first = column == left;
		if (!first && column + 1 + width(word) > LAYOUT_WIDTH) {
			fputc('\n', file);
			print_blanks(file, left);
			column = left;
			first = true;
		}
		column += fprintf(file, "%s", first ? "" : " ") + width(word);
		fputs(word, file);
	}
	fputc('\n', file);
	free(text);
}

/* ---- tables ---- */

void layout_cell(struct layout_table *table, const char *format, ...)
{
	va_list args;

	table->cells = mem_resize(table->cells, table->cells_count + 1, sizeof(*table->cells));
	va_start(args, format);
	table->cells[table->cells_count++] = format_text(format, args);
	va_end(args);
}

void layout_count(struct layout_table *table, uint64_t count, bool is_known)
{
	if (is_known)
		layout_cell(table, "%llu", (unsigned long long)count);
	else
		layout_cell(table, "-");
}

static uint32_t columns_of(const struct layout_table *table)
{
	uint32_t columns = 0;

	while (table->headings[columns])
		columns++;
	assert(columns > 0 && columns <= LAYOUT_COLUMNS_MAX);
	assert(strlen(table->align) == columns && table->cells_count % columns == 0);
	return columns;
}

/* 0 for a column that is left out. */
static void measure(const struct layout_table *table, uint32_t columns, int *widths)
{
	memset(widths, 0, columns * sizeof(*widths));
	for (uint32_t i = 0; i < table->cells_count; i++)
		if (width(table->cells[i]) > widths[i % columns])
			widths[i % columns] = width(table->cells[i]);
	for (uint32_t c = 0; c < columns; c++)
		if (widths[c] && width(table->headings[c]) > widths[c])
			widths[c] = width(table->headings[c]);
}

static int line_width(const int *widths, uint32_t columns, int gap)
{
	int total = -gap;

	for (uint32_t c = 0; c < columns; c++)
		total += widths[c] ? widths[c] + gap : 0;
	return total;
}

static int widest_word(const char *text)
{
	char *copy = mem_text(text), *rest = NULL;
	int widest = 0;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (width(word) > widest)
			widest = width(word);
	free(copy);
	return widest;
}

/* How narrow each column may become. */
static void find_least(const struct layout_table *table, uint32_t columns, int *least)
{
	for (uint32_t c = 0; c < columns; c++)
		least[c] = table->align[c] == 'w' ? width(table->headings[c]) : CUT_LEAST;
	for (uint32_t i = 0; i < table->cells_count; i++) {
		uint32_t c = i % columns;
		int word = table->align[c] == 'w' ? widest_word(table->cells[i]) : 0;
		if (word > least[c])
			least[c] = word;
	}
}

/* Makes the widest columns of this kind narrower until the rows fit, or they are at their least. */
static void narrow(const struct layout_table *table, uint32_t columns, char align, const int *least,
		   int *widths, int gap, int room)
{
	for (int over = line_width(widths, columns, gap) - room; over > 0; over--) {
		uint32_t widest = columns;
		for (uint32_t c = 0; c < columns; c++)
			if (table->align[c] == align && widths[c] > least[c] &&
			    (widest == columns || widths[c] > widths[widest]))
				widest = c;
		if (widest == columns)
			return;
		widths[widest]--;
	}
}

/* First the gaps become narrow, then what may go on beneath, then names. */
static int fit(const struct layout_table *table, uint32_t columns, int *widths, int room)
{
	int gap = line_width(widths, columns, 2) > room ? 1 : 2;
	int least[LAYOUT_COLUMNS_MAX];

	find_least(table, columns, least);
	narrow(table, columns, 'w', least, widths, gap, room);
	narrow(table, columns, 'l', least, widths, gap, room);
	return gap;
}

/* `last`: no blanks at the end of the line. */
static void print_cell(FILE *file, const char *text, char align, int wide, bool last)
{
	int left = wide - width(text);

	if (align == 'r')
		print_blanks(file, left);
	if (left >= 0 || align == 'w') {
		fputs(text, file);
	} else {
		const char *end = text;
		for (int i = 0; i < wide - 1; i++)
			end += utf8_step(end);
		fprintf(file, "%.*s…", (int)(end - text), text);
	}
	if (align != 'r' && !last)
		print_blanks(file, left);
}

/* What of a cell stands in this line; `rest` is what goes on beneath. The caller's to free. */
static char *take_line(const char **rest, char align, int wide)
{
	char *line = mem_text(*rest), *blank;

	while (align == 'w' && width(line) > wide && (blank = strrchr(line, ' ')))
		*blank = '\0';
	*rest += strlen(line);
	*rest += strspn(*rest, " ");
	return line;
}

static void print_line(FILE *file, const struct layout_table *table, char *const *cells,
		       const int *widths, int gap, int indent)
{
	uint32_t columns = columns_of(table), last = 0;
	bool first = true;

	for (uint32_t c = 0; c < columns; c++)
		if (widths[c] && *cells[c])
			last = c;
	print_blanks(file, indent);
	for (uint32_t c = 0; c <= last; c++) {
		if (!widths[c])
			continue;
		print_blanks(file, first ? 0 : gap);
		print_cell(file, cells[c], table->align[c], widths[c], c == last);
		first = false;
	}
	fputc('\n', file);
}

static void print_row(FILE *file, const struct layout_table *table, const char *const *cells,
		      const int *widths, int gap, int indent)
{
	uint32_t columns = columns_of(table);
	const char *rest[LAYOUT_COLUMNS_MAX];
	char *line[LAYOUT_COLUMNS_MAX];
	bool more;

	memcpy(rest, cells, columns * sizeof(*rest));
	do {
		more = false;
		for (uint32_t c = 0; c < columns; c++) {
			line[c] = take_line(&rest[c], table->align[c], widths[c]);
			more = more || (widths[c] && *rest[c]);
		}
		print_line(file, table, line, widths, gap, indent);
		for (uint32_t c = 0; c < columns; c++)
			free(line[c]);
	} while (more);
}

void layout_print(struct layout_table *table, int indent, FILE *file)
{
	uint32_t columns = columns_of(table);
	int widths[LAYOUT_COLUMNS_MAX];

	measure(table, columns, widths);
	int gap = fit(table, columns, widths, LAYOUT_WIDTH - indent);
	print_row(file, table, table->headings, widths, gap, indent);
	for (uint32_t i = 0; i < table->cells_count; i += columns)
		print_row(file, table, (const char *const *)table->cells + i, widths, gap, indent);
	for (uint32_t i = 0; i < table->cells_count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->cells_count = 0;
}
