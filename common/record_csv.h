/* record_csv.h - flat records as CSV and back: a header of keys, then a line each.
 *
 * RFC 4180, but lines end as lines do here, with "\n" alone. Rows are scalars, no lists or
 * records. */
#ifndef MUSTER_COMMON_RECORD_CSV_H
#define MUSTER_COMMON_RECORD_CSV_H

#include <stdio.h>

#include "common/record.h"
#include "common/yaml_errors.h"

void record_csv_header(const struct record_table *table, FILE *file);
/* Text with comma, quote or line end is quoted; absent text and NAN are empty. The caller checks
 * ferror(file) once at the end. */
void record_csv_line(const struct record_table *table, const void *record, FILE *file);

/* Reads such a file, or one that somebody else wrote: the header names columns of the table in any
 * order, an empty cell and a column that is not there are what was not told (NAN, 0, NULL;
 * fallbacks are not read). CRLF, a byte order mark and blank lines are taken. Adds an error line
 * with its place for each unknown, double or missing column, cell that its row does not take (units
 * as in YAML) and line of another length. A computed member `line` becomes the number of its line.
 * `take` is handed each record, to keep what it wants (and zero that); the rest is released. False
 * with an error; `take` may have had some by then. */
enum record_csv_columns { RECORD_CSV_OURS, RECORD_CSV_ANY /* unknown ones are passed over */ };
bool record_csv_each(const struct record_table *table, enum record_csv_columns which,
		     const char *bytes, size_t size, void (*take)(void *context, void *record),
		     void *context, struct yaml_errors *errors);

/* All of them: fills `list`, the caller's to free with record_csv_free; false, and nothing to free,
 * with an error. */
bool record_csv_read(const struct record_table *table, void **list, uint32_t *count,
		     const char *bytes, size_t size, struct yaml_errors *errors);
void record_csv_free(const struct record_table *table, void **list, uint32_t *count);

#endif
