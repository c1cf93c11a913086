/* steady.h - whether a timeline is in a steady state, by SNIA's rule.
 *
 * The timeline is cut into 5 chunks of equal length; range (largest mean of a chunk less the
 * smallest) at most 20 % of the mean, and the line fitted through the five moves by at most 10 % of
 * it over the window. Means of chunks, never samples: a square wave of 3:2 has a range of 118 %
 * while it goes on as steadily as can be. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_STEADY_H
#define MUSTER_CONTROLLER_ANALYSIS_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_CHUNKS         5
#define STEADY_RANGE_MOST     0.20
#define STEADY_EXCURSION_MOST 0.10
#define STEADY_LEAST_SAMPLES  10 /* of a chunk: fewer are no mean of a chunk */
#define STEADY_LEAST_PERIODS  3  /* of a stall in a chunk: fewer would alias */

struct steady {
	double chunks[STEADY_CHUNKS]; /* means */
	double mean;
	double range;     /* of the mean */
	double excursion; /* of the mean, with its sign: below 0 it falls */
	bool is_steady;
};

/* Of five figures in order of time. All zeros are steady. */
struct steady steady_of_chunks(const double chunks[STEADY_CHUNKS]);

/* Of a timeline; what is left over when it is cut into five is left out at its beginning. False:
 * fewer than 10 samples in a chunk. */
bool steady_find(const double *samples, uint32_t count, struct steady *found);

#endif
