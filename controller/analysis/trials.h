/* trials.h - how many trials tell two configurations apart.
 *
 * Where all of one side came first, nothing tells the sides from the time. Where they take turns, a
 * drift moves both, and their ranks stay mixed. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_TRIALS_H
#define MUSTER_CONTROLLER_ANALYSIS_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#define TRIALS_LEAST 4 /* a side */

/* Whether all of one side precede all of the other; sides[i] true: B. */
bool trials_are_confounded(const bool *sides, uint32_t count);

/* Trials a side that find a difference of `change` (0.05) with a power of 80 % at 5 %, where
 * single ones vary by `cv`; by ranks, and never under TRIALS_LEAST. */
uint32_t trials_needed(double cv, double change);

/* The smallest change that `count` a side find likewise. */
double trials_detectable(double cv, uint32_t count);

/* Of several tests at once, how many of `p` (any order) may be called differences when `share` of
 * those that are called so may be false (Benjamini & Hochberg). */
uint32_t trials_discoveries(const double *p, uint32_t count, double share);

#endif
