/* report.h - a result for a person or another program: one writer a form. */
#ifndef MUSTER_CONTROLLER_REPORT_REPORT_H
#define MUSTER_CONTROLLER_REPORT_REPORT_H

#include <stdio.h>

#include "controller/result.h"

/* The text report, at most 100 columns. `series` may be NULL: then it shows no timelines.
 * `directory` is where the run was written, NULL when nowhere. */
void report_text(const struct result *result, const struct result_series *series,
		 const char *directory, FILE *file);

/* timeline.csv: a line for each bucket, target and host of each phase, from bucket 0 to the last in
 * which anything was done in that phase, also those with nothing in them. */
void report_timeline(const struct result *result, const struct result_series *series, FILE *file);

/* junit.xml: FAIL is a failure, INVALID an error, INCONCLUSIVE skipped; figures are properties. */
void report_junit(const struct result *result, FILE *file);

/* A summary in GitHub's and GitLab's Markdown. */
void report_markdown(const struct result *result, FILE *file);

/* The hosts and their clocks alone, with a word on what makes a bound wide. */
void report_fleet(const struct result *result, FILE *file);

#endif
