/* seeded.h - numbers for tests that are the same each time. */
#ifndef MUSTER_TESTS_UNIT_SEEDED_H
#define MUSTER_TESTS_UNIT_SEEDED_H

#include <math.h>

#include "common/random.h"

/* Even in (0, 1). */
static inline double seeded_even(struct random *random)
{
	return ((double)(random_next(random) >> 12) + 0.5) / 4503599627370496.0;
}

/* From the standard normal distribution (Box and Muller). */
static inline double seeded_normal(struct random *random)
{
	double radius = sqrt(-2 * log(seeded_even(random)));

	return radius * cos(2 * acos(-1.0) * seeded_even(random));
}

#endif
