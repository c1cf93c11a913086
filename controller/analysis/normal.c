#include "controller/analysis/normal.h"

#include <math.h>

double normal_below(double z)
{
	return erfc(-z / sqrt(2)) / 2;
}

double normal_quantile(double p)
{
	double low = -40, high = 40;

	if (!(p > 0 && p < 1))
		return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
	while (high - low > 1e-12) {
		double middle = (low + high) / 2;
		if (normal_below(middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 300; m++) {
		const double parts[2] = {
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
		};
		double before = result;
		for (int i = 0; i < 2; i++) {
			d = 1 + parts[i] * d;
			c = 1 + parts[i] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			result *= d * c;
		}
		if (fabs(result - before) <= 1e-15 * fabs(result))
			break;
	}
	return result;
}

/* The regularised incomplete beta function. */
static double beta_share(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double freedom)
{
	if (isnan(t) || !(freedom > 0))
		return NAN;
	return isinf(t) ? 0 : beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}
