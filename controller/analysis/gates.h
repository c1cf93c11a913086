/* gates.h - the plan's rules held against the result, and the one outcome of the run. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_GATES_H
#define MUSTER_CONTROLLER_ANALYSIS_GATES_H

#include "common/units.h"
#include "controller/result.h"

/* Fills result->gates: a row for each gate, trial and host or target that it is about, also one,
 * INVALID, for a gate whose phase was not run. A target's figure is its own average, a host's its
 * bytes or operations over the time from its first start to its last end, the fleet's the headline,
 * and its spread (largest - smallest) / median of its hosts' throughput, of two hosts or more.
 * Gates never read cluster_partial, nor a host that did not complete: those are INVALID. A gate on
 * `errors` that holds takes IO_ERRORS findings of its phase down to NOTE, unless another gate on
 * the same errors does not hold. Runs after findings_compute. */
void gates_compute(struct result *result);

/* From findings and gates, in the order INVALID, FAIL, INCONCLUSIVE, PASS; sets result->outcome
 * and ->reason unless an outcome stands already (REFUSED, NOT_SET_UP). */
enum result_outcome gates_outcome(struct result *result);

/* The value in the unit of the limit, so that the two can be compared: "817.9 MB/s" where that is
 * "800 MB/s"; "not measured" for NAN. */
char *gates_format_value(char text[UNITS_TEXT_SIZE], const struct result_gate *gate);

#endif
