/* step.h - where a timeline goes from one level to another for good.
 *
 * Least-squares binary segmentation: the split that leaves the smallest sum of squares, then the
 * same in both parts. A split counts when each side has at least 10 samples and its levels are at
 * least 20 % of the larger apart. Two things are asked beside, since the best split of anything has
 * two levels: they are 5 standard errors apart, by the noise from sample to sample, and the 10
 * samples before and the 10 after it are 15 % apart; a ramp is no step. And of each level 10
 * samples are nearer to it than to the other, so that a stall of eight is not a level of ten. Run
 * it after the periodic test, on a window in which all workers were at work. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_STEP_H
#define MUSTER_CONTROLLER_ANALYSIS_STEP_H

#include <stdbool.h>
#include <stdint.h>

#define STEP_LEAST_SAMPLES 10 /* on each side */
#define STEP_LEAST         0.20
#define STEP_ERRORS        5
#define STEP_SHARP         0.15
#define STEPS_MOST         8

struct step {
	uint32_t at;          /* first sample of the new level */
	double before, after; /* mean of what lies between this step and the next ones */
};

/* In order of time; answers how many, at most STEPS_MOST. Linear in `count`. */
uint32_t step_find(const double *samples, uint32_t count, struct step steps[STEPS_MOST]);

/* Size of a step, of the larger level. */
double step_size(double before, double after);

#endif
