/* github.h - what GitHub's runner takes up by itself, where its environment says that it is there.
 */
#ifndef MUSTER_CONTROLLER_REPORT_GITHUB_H
#define MUSTER_CONTROLLER_REPORT_GITHUB_H

#include <stdio.h>

#include "common/error.h"
#include "controller/result.h"

/* With GITHUB_STEP_SUMMARY: the Markdown summary is appended to that file. With
 * GITHUB_ACTIONS=true: a line `::error` for each finding and gate that makes the run other than
 * PASS, `::warning` for WARN and INCONCLUSIVE, at most ten of each, which is what GitHub shows. -1:
 * the summary cannot be written. */
int github_report(const struct result *result, FILE *file, struct error *err);

/* The annotations alone. */
void github_annotate(const struct result *result, FILE *file);

#endif
