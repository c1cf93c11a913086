#include "common/record_csv.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/real.h"
#include "common/record_member.h"

static void print_text(const char *text, FILE *file)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void print_integer(const struct record_row *row, const void *record, FILE *file)
{
	uint64_t value = record_unsigned(row, record);

	if (!row->names) {
		fprintf(file, "%" PRIu64, value);
		return;
	}
	for (uint64_t i = 0; i <= value; i++)
		assert(row->names[i]);
	print_text(row->names[value], file);
}

static void print_member(const struct record_row *row, const void *record, FILE *file)
{
	const void *member = record_member_const(row, record);
	const char *text = row->kind == RECORD_TEXT ? *(char *const *)member : NULL;
	char number[REAL_TEXT_SIZE];

	if (row->kind == RECORD_TEXT)
		print_text(text ? text : "", file);
	else if (row->kind == RECORD_BOOL)
		fputs(*(const bool *)member ? "true" : "false", file);
	else if (row->kind == RECORD_I64)
		fprintf(file, "%" PRId64, *(const int64_t *)member);
	else if (row->kind != RECORD_F64)
		print_integer(row, record, file);
	else if (isfinite(*(const double *)member))
		fputs(real_format(number, *(const double *)member), file);
}

void record_csv_header(const struct record_table *table, FILE *file)
{
	for (uint32_t i = 0; i < table->count; i++) {
		assert(!table->rows[i].table);
		if (i)
			fputc(',', file);
		print_text(table->rows[i].key, file);
	}
	fputc('\n', file);
}

void record_csv_line(const struct record_table *table, const void *record, FILE *file)
{
	for (uint32_t i = 0; i < table->count; i++) {
		if (i)
			fputc(',', file);
		print_member(&table->rows[i], record, file);
	}
	fputc('\n', file);
}
