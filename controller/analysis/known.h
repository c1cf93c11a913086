/* known.h - what is known of the hardware of a host beside what was measured on it: what `expect`
 * of the plan says, or the storage and links of a file for `muster judge`. What was said of a host
 * goes before what was said of all. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_KNOWN_H
#define MUSTER_CONTROLLER_ANALYSIS_KNOWN_H

#include "controller/result.h"

/* Lent by the result. */
struct known {
	struct hardware own, fleet;
};

/* `about` NULL: of all hosts. */
struct known known_of(const struct result *result, const struct result_host *about);

/* NULL: nothing is known of the target. */
const struct fact_storage *known_storage(const struct known *known, const char *target);

/* Link `index`, from 0; NULL behind the last. */
const struct fact_link *known_link(const struct known *known, uint32_t index);

#endif
