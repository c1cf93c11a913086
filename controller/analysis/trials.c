#include "controller/analysis/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/analysis/normal.h"
#include "controller/analysis/stats.h"

#define RANKS_OF_MEANS 0.955 /* what ranks do of what means would, on normal values */

bool trials_are_confounded(const bool *sides, uint32_t count)
{
	uint32_t changes = 0;

	for (uint32_t i = 1; i < count; i++)
		changes += sides[i] != sides[i - 1];
	return changes <= 1;
}

static double both_errors(void)
{
	return normal_quantile(0.975) + normal_quantile(0.80);
}

uint32_t trials_needed(double cv, double change)
{
	double n = ceil(2 * pow(both_errors() * cv / change, 2) / RANKS_OF_MEANS);

	return n > TRIALS_LEAST ? (uint32_t)n : TRIALS_LEAST;
}

double trials_detectable(double cv, uint32_t count)
{
	return both_errors() * cv * sqrt(2.0 / count);
}

uint32_t trials_discoveries(const double *p, uint32_t count, double share)
{
	double *sorted = mem_new(count, sizeof(*sorted));
	uint32_t found = 0;

	if (count)
		memcpy(sorted, p, count * sizeof(*sorted));
	stats_sort(sorted, count);
	for (uint32_t i = 0; i < count; i++)
		if (sorted[i] <= share * (i + 1) / count)
			found = i + 1;
	free(sorted);
	return found;
}
