/* correlation.h - how much a series looks like itself later: its autocorrelation, by FFT. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_CORRELATION_H
#define MUSTER_CONTROLLER_ANALYSIS_CORRELATION_H

#include <stdbool.h>
#include <stdint.h>

/* Fills r[0] to r[lags - 1] (lags <= count): sum of (y_t - mean)(y_{t+k} - mean) over the sum of
 * squares; with `detrend` a least-squares line is taken off instead of the mean. n log n. False,
 * and r is untouched: a series that does not vary. */
bool correlation_of_itself(const double *series, uint32_t count, bool detrend, double *r,
			   uint32_t lags);

#endif
