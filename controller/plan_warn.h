/* plan_warn.h - what is legal in a plan, and will make its figures doubtful: said before the hours,
 * not after. */
#ifndef MUSTER_CONTROLLER_PLAN_WARN_H
#define MUSTER_CONTROLLER_PLAN_WARN_H

#include "controller/result.h"

/* Logs a warning for each rule that a phase breaks, with the hosts that it concerns, and answers
 * how many. `hosts`, as described so far, tell the memory (NULL: nothing is known of them). */
uint32_t plan_warn(const struct plan *plan, const struct result_host *hosts, uint32_t count);

#endif
