#include "common/record_doc.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_member.h"
#include "common/record_words.h"

/* Tables in the order of their sections, each once. */
struct sections {
	const struct record_table **tables;
	uint32_t count;
};

/* What a person writes as [a, b] or {a: b} needs no section; a program sees records there too. */
static bool has_section(const struct record_row *row, bool all)
{
	return row->table && (all || (!record_is_plain_list(row) && !record_is_plain_map(row)));
}

static void collect(struct sections *sections, const struct record_table *table, bool all)
{
	for (uint32_t i = 0; i < sections->count; i++)
		if (sections->tables[i] == table)
			return;
	sections->tables = mem_resize(sections->tables, sections->count + 1, sizeof(table));
	sections->tables[sections->count++] = table;
	for (uint32_t i = 0; i < table->count; i++)
		if (has_section(&table->rows[i], all) && (all || !table->rows[i].computed))
			collect(sections, table->rows[i].table, all);
}

/* A bar would end the cell; a line end, the row. */
static void print_cell(const char *text, FILE *file)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
}

/* With a link to the section, where there is one. */
static void print_takes(const struct record_row *row, bool all, FILE *file)
{
	char words[RECORD_WORDS_SIZE];

	if (all)
		record_words_raw(words, row);
	else
		record_words(words, row);
	if (!has_section(row, all)) {
		print_cell(words, file);
		return;
	}
	/* The words end with the table's name, a person's in brackets. */
	const char *name = row->table->name, *end = all ? "" : ")";
	words[strlen(words) - strlen(name) - strlen(end)] = '\0';
	print_cell(words, file);
	fprintf(file, "[%s](#%s)%s", name, name, end);
}

static void print_default(const struct record_row *row, FILE *file)
{
	if (row->required) {
		fputs("required", file);
	} else if (row->fallback) {
		fputc('`', file);
		print_cell(row->fallback, file);
		fputc('`', file);
	}
}

static void print_row(const struct record_row *row, bool all, FILE *file)
{
	fprintf(file, "| `%s` | ", row->key);
	print_takes(row, all, file);
	fputs(" | ", file);
	if (!all) {
		print_default(row, file);
		fputs(" | ", file);
	}
	print_cell(row->doc ? row->doc : "", file);
	fputs(" |\n", file);
}

static void print_section(const struct record_table *table, bool all, FILE *file)
{
	fprintf(file, "## %s\n\n%s\n\n", table->name, table->doc);
	fputs(all ? "| key | value | meaning |\n|---|---|---|\n"
		  : "| key | takes | default | meaning |\n|---|---|---|---|\n",
	      file);
	for (uint32_t i = 0; i < table->count; i++)
		if (all || !table->rows[i].computed)
			print_row(&table->rows[i], all, file);
	fputc('\n', file);
}

const struct record_table **record_doc_sections(const struct record_table *const *tables,
						uint32_t count, bool all, uint32_t *sections_count)
{
	struct sections sections = {0};

	for (uint32_t i = 0; i < count; i++)
		collect(&sections, tables[i], all);
	*sections_count = sections.count;
	return sections.tables;
}

void record_doc_print(const struct record_table *const *tables, uint32_t count, bool all,
		      FILE *file)
{
	uint32_t sections_count;
	const struct record_table **sections =
		record_doc_sections(tables, count, all, &sections_count);

	for (uint32_t i = 0; i < sections_count; i++)
		print_section(sections[i], all, file);
	free(sections);
}
