#include "controller/analysis/scaling.h"

#include <math.h>

double scaling_at(const struct scaling *s, double n)
{
	return s->lambda * n / (1 + s->sigma * (n - 1) + s->kappa * n * (n - 1));
}

static double residual_of(const struct scaling *s, const double *n, const double *x, uint32_t count)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		double off = scaling_at(s, n[i]) - x[i];
		sum += off * off;
	}
	return sum;
}

bool scaling_fit(const double *n, const double *x, uint32_t count, struct scaling *s)
{
	double uu = 0, uv = 0, vv = 0, uy = 0, vy = 0;

	if (count < SCALING_LEAST_POINTS || n[0] != 1 || !(x[0] > 0))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		double u = n[i] - 1, v = n[i] * (n[i] - 1), y = n[i] * x[0] / x[i] - 1;
		uu += u * u;
		uv += u * v;
		vv += v * v;
		uy += u * y;
		vy += v * y;
	}
	double det = uu * vv - uv * uv;
	*s = (struct scaling){.lambda = x[0]};
	if (det > 0) {
		s->sigma = (uy * vv - vy * uv) / det;
		s->kappa = (vy * uu - uy * uv) / det;
	}
	if (s->kappa < 0) { /* on the border: one of them alone */
		s->kappa = 0;
		s->sigma = uu > 0 ? uy / uu : 0;
	}
	if (s->sigma < 0) {
		s->sigma = 0;
		s->kappa = vv > 0 ? fmax(vy / vv, 0) : 0;
	}
	s->peak = s->kappa > 0 ? sqrt((1 - s->sigma) / s->kappa) : INFINITY;
	s->residual = residual_of(s, n, x, count);
	return true;
}

double scaling_ceiling_residual(const double *n, const double *x, uint32_t count, double *most)
{
	double best = INFINITY;

	for (uint32_t k = 0; k < count; k++) {
		double sum = 0;
		for (uint32_t i = 0; i < count; i++) {
			double off = fmin(n[i] * x[0] / n[0], x[k]) - x[i];
			sum += off * off;
		}
		if (sum < best) {
			best = sum;
			*most = x[k];
		}
	}
	return best;
}

double scaling_response_time(const double *load, const double *latency, uint32_t count)
{
	double area = 0;

	if (count < 2)
		return NAN;
	for (uint32_t i = 1; i < count; i++)
		area += (load[i] - load[i - 1]) * (latency[i] + latency[i - 1]) / 2;
	return area / load[count - 1];
}
