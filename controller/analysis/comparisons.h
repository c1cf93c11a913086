/* comparisons.h - the trials of a phase against those of another, or of a baseline.
 *
 * By ranks alone (rank.h): the shift of Hodges & Lehmann in percent of the other's median, with its
 * 95 % interval, and Mann & Whitney's p, of which as many count as Benjamini & Hochberg allow over
 * all comparisons of the run. Different: p counts, the shift is 5 % or more, four trials a side.
 * SAME: the 90 % interval lies within 5 %. Where all trials of one side came before the other's,
 * nothing tells a difference from the time that went by. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_COMPARISONS_H
#define MUSTER_CONTROLLER_ANALYSIS_COMPARISONS_H

#include "controller/result.h"

/* Fills result->comparisons: a row for each phase, metric and `against` of the plan's gates with
 * two trials or more on either side. `baseline` NULL: there is none. */
void comparisons_compute(struct result *result, const struct result *baseline);

#endif
