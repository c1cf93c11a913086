/* judge.h - muster judge: the analysis, gates and reports of a run, for numbers that are there
 * already: a run directory or its run.json, or a file of foreign numbers (foreign.h). */
#ifndef MUSTER_CONTROLLER_JUDGE_H
#define MUSTER_CONTROLLER_JUDGE_H

#include <stdio.h>

#include "common/bytes.h"
#include "controller/options.h"
#include "controller/result.h"

/* Judges each of options->operands and prints each report to stdout, in the form options->as.
 * Answers the exit code that counts most: 6 and 2 before 3, 5, 1, 4 and 0. */
int judge_execute(const struct options *options);

/* Findings, gates and outcome of a result; answers the exit code. `baseline` NULL: none. */
int judge_result(struct result *result, const struct result_series *series,
		 const struct result *baseline);

/* From memory: `timeline` is of timeline.csv. NULL: none, then there are no series and each phase
 * is TIMELINE_MISSING. 0, or -1 with what is wrong, and nothing to release. */
int judge_parse_run(const char *json, const struct bytes *timeline, struct result *result,
		    struct result_series *series, struct error *err);

/* Reads the run.json at `path`, or in it, and the timeline.csv beside it where it is; what only the
 * run itself could see stays among the findings, the rest is for judge_result to find again. 0, or
 * -1 with what is wrong, and nothing to release. */
int judge_read_run(const char *path, struct result *result, struct result_series *series,
		   struct error *err);

#endif
