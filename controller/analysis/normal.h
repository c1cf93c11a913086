/* normal.h - the normal distribution and Student's t, for tests and intervals. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_NORMAL_H
#define MUSTER_CONTROLLER_ANALYSIS_NORMAL_H

/* P(Z <= z). */
double normal_below(double z);

/* The z that has `p` (0 < p < 1) below it; within 1e-9. */
double normal_quantile(double p);

/* Two-sided probability of a t as extreme by chance, with `freedom` degrees of freedom (> 0). */
double student_p(double t, double freedom);

#endif
