#include <stdlib.h>
#include <string.h>

#include "common/man.h"
#include "common/memory.h"
#include "common/record_doc.h"
#include "common/record_words.h"

static void put_row(FILE *file, const struct record_row *row)
{
	char words[RECORD_WORDS_SIZE];
	const char *doc = row->doc ? row->doc : "";
	size_t length = strlen(doc);
	const char *stop = length > 0 && doc[length - 1] == '.' ? "" : ".";
	char *text;

	record_words(words, row);
	if (row->required)
		text = mem_format("%s%s Takes %s; required.\n", doc, stop, words);
	else if (row->fallback)
		text = mem_format("%s%s Takes %s; `%s` unless set.\n", doc, stop, words,
				  row->fallback);
	else
		text = mem_format("%s%s Takes %s.\n", doc, stop, words);
	fprintf(file, ".It Cm %s\n", row->key);
	man_text(file, text);
	free(text);
}

static void put_table(FILE *file, const struct record_table *table)
{
	fprintf(file, ".Ss %s\n", table->name);
	man_text(file, table->doc);
	fputs(".Bl -tag -width Ds\n", file);
	for (uint32_t i = 0; i < table->count; i++)
		if (!table->rows[i].computed)
			put_row(file, &table->rows[i]);
	fputs(".El\n", file);
}

void man_tables(FILE *file, const struct record_table *const *tables, uint32_t count)
{
	uint32_t all;
	const struct record_table **each = record_doc_sections(tables, count, false, &all);

	for (uint32_t i = 0; i < all; i++)
		put_table(file, each[i]);
	free(each);
}
