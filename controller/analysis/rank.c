#include "controller/analysis/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "controller/analysis/stats.h"

double rank_u(const double *a, uint32_t n, const double *b, uint32_t m)
{
	double u = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++)
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	return u;
}

/* How many of all orders of n and m values have each U from 0 to n * m: the coefficients of the
 * Gaussian binomial, product over i of (1 - q^(m+i)) / (1 - q^i). The caller's to free. */
static double *count_orders(uint32_t n, uint32_t m)
{
	uint32_t most = n * m;
	double *counts = mem_new(most + 1, sizeof(*counts));

	counts[0] = 1;
	for (uint32_t i = 1; i <= n; i++) {
		for (uint32_t k = most; k >= m + i; k--)
			counts[k] -= counts[k - m - i];
		for (uint32_t k = i; k <= most; k++)
			counts[k] += counts[k - i];
	}
	return counts;
}

/* P(U <= u). */
static double p_at_most(const double *counts, uint32_t n, uint32_t m, double u)
{
	double below = 0, all = 0;

	for (uint32_t k = 0; k <= n * m; k++) {
		all += counts[k];
		if (k <= u)
			below += counts[k];
	}
	return below / all;
}

double rank_p_exact(double u, uint32_t n, uint32_t m)
{
	double *counts = count_orders(n, m);
	double p = 2 * p_at_most(counts, n, m, floor(fmin(u, (double)n * m - u)));

	free(counts);
	return fmin(p, 1);
}

/* The sum over groups of equal values of t^3 - t, of both samples together. */
static double sum_of_ties(const double *a, uint32_t n, const double *b, uint32_t m)
{
	double *all = mem_new((size_t)n + m, sizeof(*all)), sum = 0;
	uint32_t end;

	memcpy(all, a, n * sizeof(*all));
	memcpy(all + n, b, m * sizeof(*all));
	stats_sort(all, n + m);
	for (uint32_t from = 0; from < n + m; from = end) {
		for (end = from + 1; end < n + m && all[end] == all[from]; end++)
			;
		double t = end - from;
		sum += t * t * t - t;
	}
	free(all);
	return sum;
}

double rank_p(const double *a, uint32_t n, const double *b, uint32_t m)
{
	double u = rank_u(a, n, b, m), ties = sum_of_ties(a, n, b, m);
	double all = (double)n + m, half = (double)n * m / 2;

	if (!n || !m)
		return NAN;
	if (ties == 0 && n <= RANK_MOST_EXACT && m <= RANK_MOST_EXACT)
		return rank_p_exact(u, n, m);
	double variance = (double)n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	if (!(variance > 0))
		return 1;
	double z = fmax(fabs(u - half) - 0.5, 0) / sqrt(variance);
	return fmin(erfc(z / sqrt(2)), 1);
}

/* The largest k with P(U <= k - 1) <= alpha / 2; 0: none. */
static uint32_t rank_of(uint32_t n, uint32_t m, double alpha)
{
	if (n > RANK_MOST_EXACT || m > RANK_MOST_EXACT) {
		/* the quantile of the normal that has 2.5 or 5 % beyond it */
		double z = alpha <= 0.05 ? 1.959964 : 1.644854;
		double k = (double)n * m / 2 - z * sqrt((double)n * m * ((double)n + m + 1) / 12);
		return k < 1 ? 0 : (uint32_t)k;
	}
	double *counts = count_orders(n, m);
	uint32_t k = 0;

	while (k < n * m && p_at_most(counts, n, m, k) <= alpha / 2 + 1e-12)
		k++;
	free(counts);
	return k;
}

struct rank_shift rank_shift(const double *a, uint32_t n, const double *b, uint32_t m,
			     double confidence)
{
	struct rank_shift found = {.shift = NAN, .low = NAN, .high = NAN};
	size_t count = (size_t)n * m;

	if (!count)
		return found;
	double *differences = mem_new(count, sizeof(*differences));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++)
			differences[(size_t)i * m + j] = b[j] - a[i];
	stats_sort(differences, (uint32_t)count);
	found.shift = stats_quantile(differences, (uint32_t)count, 0.5);
	found.rank = rank_of(n, m, 1 - confidence);
	found.has_interval = found.rank > 0;
	if (found.has_interval) {
		found.low = differences[found.rank - 1];
		found.high = differences[count - found.rank];
	}
	free(differences);
	return found;
}
