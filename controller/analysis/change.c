#include "controller/analysis/change.h"

#include <math.h>

#include "controller/analysis/normal.h"
#include "controller/analysis/stats.h"

/* Sum of |x - y| over pairs within a side. */
static double within(const double *values, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1; j < count; j++)
			sum += fabs(values[i] - values[j]);
	return sum;
}

static double pairs(uint32_t count)
{
	return (double)count * (count - 1) / 2;
}

double change_divergence(const double *values, uint32_t count, uint32_t tau)
{
	uint32_t m = count - tau;
	double between = 0, own = 0;

	for (uint32_t i = 0; i < tau; i++)
		for (uint32_t j = tau; j < count; j++)
			between += fabs(values[i] - values[j]);
	if (tau > 1)
		own += within(values, tau) / pairs(tau);
	if (m > 1)
		own += within(values + tau, m) / pairs(m);
	return (double)tau * m / count * (2 * between / ((double)tau * m) - own);
}

static double squares(const double *values, uint32_t count, double mean)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

double change_t(const double *values, uint32_t count, uint32_t tau, double *p)
{
	uint32_t m = count - tau;
	double before = stats_mean(values, tau), after = stats_mean(values + tau, m);
	double pooled =
		(squares(values, tau, before) + squares(values + tau, m, after)) / (count - 2.0);
	double t = (before - after) / sqrt(pooled * (1.0 / tau + 1.0 / m));

	*p = student_p(t, count - 2.0);
	return t;
}

bool change_find(const double *values, uint32_t count, double least, struct change *change)
{
	*change = (struct change){.divergence = -INFINITY, .p = NAN};
	for (uint32_t tau = 1; tau < count; tau++) {
		double q = change_divergence(values, count, tau);
		if (q <= change->divergence)
			continue;
		change->divergence = q;
		change->at = tau;
	}
	if (count < 3)
		return false;
	change->before = stats_mean(values, change->at);
	change->after = stats_mean(values + change->at, count - change->at);
	change_t(values, count, change->at, &change->p);
	return change->p <= CHANGE_P_MOST && count - change->at >= CHANGE_LEAST_SIZE &&
	       fabs(change->after / change->before - 1) >= least;
}
