/* repeats.h - what the trials of each phase come to together, and whether they are of one kind.
 *
 * The interval of the median goes by order statistics (six trials), that of the mean by resampling
 * trials (bootstrap.h, ten). Drift is by how much the fitted line moves from the first trial to the
 * last, as SNIA has it inside one measurement, and p by Student's t of its slope. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_REPEATS_H
#define MUSTER_CONTROLLER_ANALYSIS_REPEATS_H

#include "controller/result.h"

/* Fills result->repeats, a row for each phase and figure with two trials or more, and finds
 * TRIALS_DRIFT, TRIALS_CHANGE and TRIALS_SPREAD. Runs after what makes a trial INVALID,
 * and after gates that allow its errors. */
void repeats_compute(struct result *result);

#endif
