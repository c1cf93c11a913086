/* summary.h - the phases in a line each, for whoever looks for the figures only. */
#ifndef MUSTER_CONTROLLER_REPORT_SUMMARY_H
#define MUSTER_CONTROLLER_REPORT_SUMMARY_H

#include "controller/report/layout.h"
#include "controller/result.h"

/* Ends with NULL. */
extern const char *const summary_headings[];
extern const char summary_align[];

/* Adds a row for each phase of each trial: the fleet's headline and latency, struck through where
 * they are INVALID; the slowest of several hosts; and the first of the worst findings, INVALID or
 * WARN. */
void summary_rows(struct layout_table *table, const struct result *result);

#endif
