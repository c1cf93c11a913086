/* trials.h - tables of what trials come to together, for reports. */
#ifndef MUSTER_CONTROLLER_REPORT_TRIALS_H
#define MUSTER_CONTROLLER_REPORT_TRIALS_H

#include "controller/report/layout.h"
#include "controller/result.h"

/* End with NULL. */
#define TRIALS_COLUMNS 10
extern const char *const trials_headings[TRIALS_COLUMNS];
extern const char *const comparisons_headings[TRIALS_COLUMNS];
extern const char trials_align[], comparisons_align[];

/* Adds a row for each phase and figure. */
void trials_rows(struct layout_table *table, const struct result *result);
void comparisons_rows(struct layout_table *table, const struct result *result);

#endif
