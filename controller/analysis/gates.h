/* gates.h - the plan's rules held against the result, and the one outcome of the run. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_GATES_H
#define MUSTER_CONTROLLER_ANALYSIS_GATES_H

#include "common/units.h"
#include "controller/result.h"

/* Fills result->gates: a row for each gate, trial and host, target or group that it is about, also
 * one, INVALID, for a gate whose phase was not run; then result->repeats and ->comparisons. Runs
 * after findings_compute. `series` NULL: there are no timelines and histograms; `baseline` NULL:
 * there is none.
 *
 * INVALID: the figure was not measured, or a finding makes it INVALID; such a figure is shown and
 * never judged. INCONCLUSIVE: too few data for the figure, or the phase, in the sum or in any host,
 * is NOT_STEADY. A gate on `errors` is judged first: where it holds, it takes IO_ERRORS findings of
 * its phase down to NOTE, unless another gate on the same errors does not hold. */
void gates_compute(struct result *result, const struct result_series *series,
		   const struct result *baseline);

/* From findings and gates, in the order INVALID, FAIL, INCONCLUSIVE, PASS; sets result->outcome
 * and ->reason unless an outcome stands already (REFUSED, NOT_SET_UP). */
enum result_outcome gates_outcome(struct result *result);

/* The value in the unit of the limit, so that the two can be compared: "817.9 MB/s" where that is
 * "800 MB/s"; "not measured" for NAN. */
char *gates_format_value(char text[UNITS_TEXT_SIZE], const struct result_gate *gate);

/* "[795.1, 821.0 MB/s]"; "" where there is none. */
#define GATES_INTERVAL_SIZE 80
char *gates_format_interval(char text[GATES_INTERVAL_SIZE], const struct result_gate *gate);

/* "+2.2 %", "< -1000 %" far off; "" where there is none. */
char *gates_format_margin(char text[UNITS_TEXT_SIZE], const struct result_gate *gate);

#endif
