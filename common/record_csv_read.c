#include "common/record_csv.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nearest.h"
#include "common/record_member.h"
#include "common/record_yaml_scalar.h"
#include "common/utf8.h"

#define COLUMNS_MAX 64
#define CELL_MAX    4096

/* Where the reader is: the next byte, and its place as an editor shows it. */
struct reader {
	const char *at, *end;
	uint32_t line, column;
	struct yaml_errors *errors;
	bool failed;
};

struct cell {
	char text[CELL_MAX];
	size_t size;
	uint32_t line, column;
	bool is_last; /* of its line */
};

static void complain(struct reader *r, const struct cell *cell, const char *what)
{
	yaml_errors_add(r->errors, cell->line, cell->column, "%s", what);
	r->failed = true;
}

/* ---- cells ---- */

static void step(struct reader *r)
{
	bool ends = *r->at == '\n';

	/* Bytes that continue a character take no column of their own. */
	r->column = ends ? 1 : r->column + (((unsigned char)r->at[0] & 0xc0) != 0x80);
	r->line += ends;
	r->at++;
}

static bool put(struct cell *cell, char c)
{
	if (cell->size + 1 >= sizeof(cell->text))
		return false;
	cell->text[cell->size++] = c;
	return true;
}

static const char *read_quoted(struct reader *r, struct cell *cell)
{
	step(r);
	while (r->at < r->end) {
		char c = *r->at;
		step(r);
		if (c == '"' && (r->at == r->end || *r->at != '"'))
			return NULL;
		if (c == '"')
			step(r);
		if (!put(cell, c))
			return "the cell is longer than 4,095 bytes";
	}
	return "the quote is not closed";
}

static bool ends_cell(char c)
{
	return c == ',' || c == '\r' || c == '\n';
}

static const char *read_plain(struct reader *r, struct cell *cell)
{
	for (; r->at < r->end && !ends_cell(*r->at); step(r)) {
		if (*r->at == '"')
			return "a quote inside a cell: quote all of it and write \"\" for the "
			       "quote";
		if (!put(cell, *r->at))
			return "the cell is longer than 4,095 bytes";
	}
	return NULL;
}

/* Eats the comma or line end behind a cell. */
static const char *read_end(struct reader *r, struct cell *cell)
{
	cell->is_last = true;
	if (r->at < r->end && *r->at == ',') {
		cell->is_last = false;
		step(r);
		return NULL;
	}
	if (r->at < r->end && *r->at == '\r')
		r->at++;
	if (r->at == r->end)
		return NULL;
	if (*r->at != '\n')
		return "something follows the closing quote: takes a comma or the line's end";
	step(r);
	return NULL;
}

/* False: nothing can be read behind it. */
static bool read_cell(struct reader *r, struct cell *cell)
{
	const char *why;

	cell->size = 0;
	cell->line = r->line;
	cell->column = r->column;
	if (r->at < r->end && *r->at == '"')
		why = read_quoted(r, cell);
	else
		why = read_plain(r, cell);
	if (!why)
		why = read_end(r, cell);
	cell->text[cell->size] = '\0';
	if (why)
		complain(r, cell, why);
	return !why;
}

/* Whether it holds text; else that is said. */
static bool is_text(struct reader *r, const struct cell *cell)
{
	if (cell->size == strlen(cell->text) && utf8_valid(cell->text, cell->size) == cell->size)
		return true;
	complain(r, cell, "the cell holds bytes that are no text (UTF-8)");
	return false;
}

/* ---- header ---- */

struct columns {
	const struct record_row *rows[COLUMNS_MAX]; /* NULL: passed over */
	uint32_t count;
	bool any;
};

static void complain_of_column(struct reader *r, const struct record_table *table,
			       const struct cell *cell)
{
	struct nearest nearest = nearest_start(cell->text);
	char *keys = mem_text("");

	for (uint32_t i = 0; i < table->count; i++) {
		if (table->rows[i].computed)
			continue;
		nearest_try(&nearest, table->rows[i].key);
		char *longer = mem_format("%s%s%s", keys, *keys ? ", " : "", table->rows[i].key);
		free(keys);
		keys = longer;
	}
	yaml_errors_add(r->errors, cell->line, cell->column,
			nearest.name ? "'%.*s' is no column here; nearest is '%s'"
				     : "'%.*s' is no column here; legal are %s",
			yaml_errors_shown(cell->text), cell->text,
			nearest.name ? nearest.name : keys);
	r->failed = true;
	free(keys);
}

static void add_column(struct reader *r, const struct record_table *table, struct columns *columns,
		       const struct cell *cell)
{
	const struct record_row *row = NULL;

	for (uint32_t i = 0; i < table->count && !row; i++)
		if (!table->rows[i].computed && strcmp(table->rows[i].key, cell->text) == 0)
			row = &table->rows[i];
	if (!row && !columns->any)
		complain_of_column(r, table, cell);
	for (uint32_t c = 0; row && c < columns->count; c++)
		if (columns->rows[c] == row)
			complain(r, cell, "the column stands there twice");
	columns->rows[columns->count++] = row;
}

static bool read_header(struct reader *r, const struct record_table *table, struct columns *columns)
{
	struct cell cell;

	do {
		if (!read_cell(r, &cell))
			return false;
		if (columns->count == COLUMNS_MAX) {
			complain(r, &cell, "more than 64 columns");
			return false;
		}
		if (is_text(r, &cell))
			add_column(r, table, columns, &cell);
	} while (!cell.is_last);
	for (uint32_t i = 0; i < table->count; i++) {
		bool found = !table->rows[i].required;
		for (uint32_t c = 0; c < columns->count; c++)
			found = found || columns->rows[c] == &table->rows[i];
		if (!found) {
			yaml_errors_add(r->errors, 1, 1, "the column '%s' is missing",
					table->rows[i].key);
			r->failed = true;
		}
	}
	return !r->failed;
}

/* ---- lines ---- */

static void read_value(struct reader *r, const struct record_row *row, void *record,
		       struct cell *cell)
{
	struct yaml_node node = {.kind = YAML_KIND_SCALAR, .text = cell->text};

	if (!is_text(r, cell) || (!cell->size && !row->required))
		return;
	char *why = record_yaml_scalar(row, record, &node);
	if (!why)
		return;
	yaml_errors_add(r->errors, cell->line, cell->column, "%s: %s", row->key, why);
	r->failed = true;
	free(why);
}

/* What no cell says: unknown numbers, and the line where the row has a place for it. */
static void set_unwritten(const struct record_table *table, void *record, uint32_t line)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct record_row *row = &table->rows[i];
		if (row->kind == RECORD_F64)
			*(double *)record_member(row, record) = NAN;
		else if (row->computed && strcmp(row->key, "line") == 0)
			record_store_unsigned(row, record, line);
	}
}

/* False: the rest makes no sense. */
static bool read_line(struct reader *r, const struct columns *columns, void *record)
{
	struct cell cell;

	for (uint32_t c = 0; c < columns->count; c++) {
		if (!read_cell(r, &cell))
			return false;
		if (columns->rows[c])
			read_value(r, columns->rows[c], record, &cell);
		if (cell.is_last != (c + 1 == columns->count)) {
			complain(r, &cell,
				 cell.is_last ? "the line has fewer cells than the header"
					      : "the line has more cells than the header");
			return false;
		}
	}
	return true;
}

/* Blank lines hold nothing. */
static void skip_blank(struct reader *r)
{
	while (r->at < r->end && (*r->at == '\n' || *r->at == '\r'))
		step(r);
}

bool record_csv_each(const struct record_table *table, enum record_csv_columns which,
		     const char *bytes, size_t size, void (*take)(void *context, void *record),
		     void *context, struct yaml_errors *errors)
{
	struct reader r = {
		.at = bytes, .end = bytes + size, .line = 1, .column = 1, .errors = errors};
	struct columns columns = {.any = which == RECORD_CSV_ANY};

	if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	if (r.at == r.end) {
		yaml_errors_add_file(errors, "is empty: takes a line of column names first");
		return false;
	}
	if (!read_header(&r, table, &columns))
		return false;
	void *record = mem_new(1, table->size);
	for (skip_blank(&r); r.at < r.end; skip_blank(&r)) {
		memset(record, 0, table->size);
		set_unwritten(table, record, r.line);
		bool goes_on = read_line(&r, &columns, record);
		if (!r.failed)
			take(context, record);
		record_release(table, record);
		if (!goes_on)
			break;
	}
	free(record);
	return !r.failed;
}

/* ---- all of them ---- */

struct list {
	const struct record_table *table;
	char *records;
	size_t count, room;
};

static void append(void *context, void *record)
{
	struct list *list = context;
	size_t size = list->table->size;

	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->records = mem_resize(list->records, list->room, size);
	}
	memcpy(list->records + list->count++ * size, record, size);
	memset(record, 0, size); /* it owns nothing any more */
}

bool record_csv_read(const struct record_table *table, void **list, uint32_t *count,
		     const char *bytes, size_t size, struct yaml_errors *errors)
{
	struct list all = {.table = table};
	bool ok = record_csv_each(table, RECORD_CSV_OURS, bytes, size, append, &all, errors);

	*list = all.records;
	*count = (uint32_t)all.count;
	if (!ok)
		record_csv_free(table, list, count);
	return ok;
}

void record_csv_free(const struct record_table *table, void **list, uint32_t *count)
{
	for (uint32_t i = 0; i < *count; i++)
		record_release(table, (char *)*list + (size_t)i * table->size);
	free(*list);
	*list = NULL;
	*count = 0;
}
