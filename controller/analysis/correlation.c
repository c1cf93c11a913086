#include "controller/analysis/correlation.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "controller/analysis/stats.h"

/* What is left of rounding when a constant is taken off itself. */
#define NOTHING 1e-18

/* Turns of the unit circle: roots[k] = exp(-2 pi i k / size), for k < size / 2. */
struct circle {
	uint32_t size; /* a power of two */
	double *re, *im;
};

static struct circle circle_new(uint32_t size)
{
	struct circle circle = {.size = size,
				.re = mem_new(size / 2, sizeof(double)),
				.im = mem_new(size / 2, sizeof(double))};

	for (uint32_t k = 0; k < size / 2; k++) {
		double angle = 2 * acos(-1.0) * k / size;
		circle.re[k] = cos(angle);
		circle.im[k] = -sin(angle);
	}
	return circle;
}

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

static void reverse_bits(double *re, double *im, uint32_t size)
{
	for (uint32_t i = 1, j = 0; i < size; i++) {
		uint32_t bit = size >> 1;
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			swap(&re[i], &re[j]);
			swap(&im[i], &im[j]);
		}
	}
}

/* Cooley and Tukey, radix 2, in place. */
static void transform(double *re, double *im, const struct circle *circle)
{
	reverse_bits(re, im, circle->size);
	for (uint32_t half = 1; half < circle->size; half *= 2) {
		uint32_t turn = circle->size / (2 * half);
		for (uint32_t from = 0; from < circle->size; from += 2 * half)
			for (uint32_t k = 0; k < half; k++) {
				uint32_t a = from + k, b = a + half;
				double wr = circle->re[k * turn], wi = circle->im[k * turn];
				double xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
				re[b] = re[a] - xr;
				im[b] = im[a] - xi;
				re[a] += xr;
				im[a] += xi;
			}
	}
}

/* Answers the sum of squares. */
static double centre(const double *series, uint32_t count, bool detrend, double *out)
{
	double mean = stats_mean(series, count), squares = 0;
	double slope = detrend ? stats_slope(series, count) : 0;

	for (uint32_t i = 0; i < count; i++) {
		out[i] = series[i] - mean - slope * (i - ((double)count - 1) / 2);
		squares += out[i] * out[i];
	}
	return squares > NOTHING * count * mean * mean ? squares : 0;
}

bool correlation_of_itself(const double *series, uint32_t count, bool detrend, double *r,
			   uint32_t lags)
{
	uint32_t size = 2;

	while (size < count + lags) /* what is padded keeps the end from meeting the beginning */
		size *= 2;
	double *re = mem_new(size, sizeof(*re)), *im = mem_new(size, sizeof(*im));
	bool varies = centre(series, count, detrend, re) > 0;
	if (varies) {
		struct circle circle = circle_new(size);
		transform(re, im, &circle);
		for (uint32_t i = 0; i < size; i++) {
			re[i] = re[i] * re[i] + im[i] * im[i];
			im[i] = 0;
		}
		transform(re, im, &circle); /* of an even series: its own inverse, but for size */
		for (uint32_t k = 0; k < lags; k++)
			r[k] = re[k] / re[0];
		free(circle.re);
		free(circle.im);
	}
	free(re);
	free(im);
	return varies;
}
