#include "controller/analysis/steady.h"

#include <math.h>
#include <string.h>

#include "controller/analysis/stats.h"

struct steady steady_of_chunks(const double chunks[STEADY_CHUNKS])
{
	struct steady steady = {.is_steady = true};
	double least = chunks[0], most = chunks[0];

	memcpy(steady.chunks, chunks, sizeof(steady.chunks));
	steady.mean = stats_mean(chunks, STEADY_CHUNKS);
	for (int i = 1; i < STEADY_CHUNKS; i++) {
		least = fmin(least, chunks[i]);
		most = fmax(most, chunks[i]);
	}
	if (!(steady.mean > 0))
		return steady;
	steady.range = (most - least) / steady.mean;
	steady.excursion = stats_slope(chunks, STEADY_CHUNKS) * (STEADY_CHUNKS - 1) / steady.mean;
	steady.is_steady = steady.range <= STEADY_RANGE_MOST &&
			   fabs(steady.excursion) <= STEADY_EXCURSION_MOST;
	return steady;
}

bool steady_find(const double *samples, uint32_t count, struct steady *found)
{
	uint32_t length = count / STEADY_CHUNKS;
	double chunks[STEADY_CHUNKS];

	if (length < STEADY_LEAST_SAMPLES)
		return false;
	samples += count % STEADY_CHUNKS;
	for (uint32_t i = 0; i < STEADY_CHUNKS; i++)
		chunks[i] = stats_mean(samples + i * length, length);
	*found = steady_of_chunks(chunks);
	return true;
}
