/* record_csv.h - flat records as CSV: a header of keys, then a line each.
 *
 * RFC 4180, but lines end as lines do here, with "\n" alone. Rows are scalars, no lists or
 * records. */
#ifndef MUSTER_COMMON_RECORD_CSV_H
#define MUSTER_COMMON_RECORD_CSV_H

#include <stdio.h>

#include "common/record.h"

void record_csv_header(const struct record_table *table, FILE *file);
/* Text with comma, quote or line end is quoted; absent text and NAN are empty. The caller checks
 * ferror(file) once at the end. */
void record_csv_line(const struct record_table *table, const void *record, FILE *file);

#endif
