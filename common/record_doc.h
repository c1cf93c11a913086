/* record_doc.h - the tables as Markdown, for the pages of docs/ that are printed. */
#ifndef MUSTER_COMMON_RECORD_DOC_H
#define MUSTER_COMMON_RECORD_DOC_H

#include <stdio.h>

#include "common/record.h"

/* The tables and all beneath them that have a section of their own, each once, in the order in
 * which they are met; `all` as below. The array is the caller's to free. */
const struct record_table **record_doc_sections(const struct record_table *const *tables,
						uint32_t count, bool all, uint32_t *sections_count);

/* A section ("## name") for each table and each table beneath it, each once, with a Markdown table.
 * With `all` false, as a person writes YAML: key, what it takes (units, names, limits), default,
 * meaning, without `computed` rows; lists and maps of scalars need no section. With `all` true, as
 * messages and results carry it: every row, key, type, meaning. */
void record_doc_print(const struct record_table *const *tables, uint32_t count, bool all,
		      FILE *file);

#endif
