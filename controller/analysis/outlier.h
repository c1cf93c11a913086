/* outlier.h - which of several like hosts is the odd one, and which made the others wait.
 *
 * Each is held against the median and MAD of the others: it is odd when the modified z is over 3.5
 * and it is more than 10 % off. Either alone cries wolf: of healthy fleets of 8 every seventh has a
 * host beyond 3.5. Under 5 hosts there is no spread to speak of, and the 10 % stand alone. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_OUTLIER_H
#define MUSTER_CONTROLLER_ANALYSIS_OUTLIER_H

#include <stdbool.h>
#include <stdint.h>

#define OUTLIER_LEAST_HOSTS 3
#define OUTLIER_LEAST_MAD   5 /* hosts from which on the spread counts */
#define OUTLIER_Z           3.5
#define OUTLIER_FLOOR       0.10

struct outlier {
	double median; /* of the others */
	double z;      /* modified, by the others' median and MAD */
	double ratio;  /* value / median */
	bool is_odd;
};

/* Fills verdicts[i] for values[i] (all > 0); n log n. Of three hosts only the one that is furthest
 * off is ever odd: beside a slow one, each of the others looks fast. Answers how many are odd. */
uint32_t outlier_find(const double *values, uint32_t count, struct outlier *verdicts);

/* How a fixed amount ended: whoever is last makes the rest wait. */
#define STRAGGLER_LEAST  3
#define STRAGGLER_FACTOR 1.5
#define STRAGGLER_LOSS   0.10
#define STRAGGLER_ALIKE  0.95

struct straggler {
	uint32_t index; /* of the last one */
	double factor;  /* its time / median */
	double loss;    /* 1 - mean / longest */
	bool is_one;    /* factor > 1.5 or loss > 10 % */
	uint32_t alike; /* others that took 95 % of its time or more */
};

/* Of the times (> 0) that each took for its amount; none with fewer than three. */
struct straggler straggler_find(const double *times, uint32_t count);

#endif
