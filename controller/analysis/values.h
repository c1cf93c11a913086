/* values.h - two tellings of one figure. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_VALUES_H
#define MUSTER_CONTROLLER_ANALYSIS_VALUES_H

#include <math.h>
#include <stdbool.h>

#define VALUES_TOLERANCE 0.01
#define VALUES_ROUNDED   0.10 /* more is no rounding: one of them is wrong */

/* Whether both are known (not NAN, above 0) and more than 1 % apart. */
static inline bool values_disagree(double a, double b)
{
	return a > 0 && b > 0 && fabs(b / a - 1) > VALUES_TOLERANCE;
}

#endif
