/* scaling.h - throughput over the number at work, and response time over load.
 *
 * The universal scalability law (Gunther): X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)).
 * Its peak is at sqrt((1 - sigma) / kappa). Storage with a hard ceiling (a link, a controller) has
 * another shape, min(lambda N, most): the one with the smaller residual is to be believed. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_SCALING_H
#define MUSTER_CONTROLLER_ANALYSIS_SCALING_H

#include <stdbool.h>
#include <stdint.h>

#define SCALING_LEAST_POINTS 4

struct scaling {
	double lambda, sigma, kappa;
	double peak;     /* N of the most; INFINITY: it does not fall */
	double residual; /* sum of squares */
};

double scaling_at(const struct scaling *scaling, double n);

/* Least squares through the origin of N / C - 1 = sigma (N - 1) + kappa N (N - 1), C = X / X(1),
 * with neither below 0; n[0] must be 1. False: too few points. */
bool scaling_fit(const double *n, const double *x, uint32_t count, struct scaling *scaling);

/* min(lambda N, most), lambda from N = 1: the residual. */
double scaling_ceiling_residual(const double *n, const double *x, uint32_t count, double *most);

/* Overall response time: the area under latency over throughput, by trapezoids between measured
 * points only, over the highest load (SPEC SFS). NAN with fewer than two. */
double scaling_response_time(const double *load, const double *latency, uint32_t count);

#endif
