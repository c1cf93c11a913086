/* measured.h - whether a phase is measured well enough to be held against another, and its figures.
 */
#ifndef MUSTER_CONTROLLER_ANALYSIS_MEASURED_H
#define MUSTER_CONTROLLER_ANALYSIS_MEASURED_H

#include "controller/result.h"

/* A few seconds differ by what the write-back of the ones before happens to do, whatever min_window
 * lets pass for a short look. */
#define MEASURED_LEAST_NS (10 * UINT64_C(1000000000))

/* Whether no host is missing and the headline's time is at least min_window and 10 s. */
bool measured_is_long_enough(const struct result *result, const struct result_phase *phase);

/* Whether besides nothing found until now makes the phase INVALID. */
bool measured_is_sound(const struct result *result, const struct result_phase *phase);

/* Bytes/s of the fleet: the headline; of a host: over its own time. NAN: none. */
double measured_rate(const struct result_phase *phase);
double measured_host_rate(const struct result_phase *phase, uint32_t host);

/* Operations that a host may have in flight on each target. */
double measured_in_flight(const struct result *result, const struct result_phase *phase);

#endif
