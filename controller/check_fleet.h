/* check_fleet.h - `muster check PLAN --fleet`: what each host would do and lose, and what refuses
 * it.
 *
 * Every host is asked about every phase as before a run; nothing is made, opened for writing or
 * measured. */
#ifndef MUSTER_CONTROLLER_CHECK_FLEET_H
#define MUSTER_CONTROLLER_CHECK_FLEET_H

#include "controller/options.h"
#include "controller/plan.h"

/* Prints to stdout. Answers the program's exit code: 0, or 5 when any host would refuse. */
int check_fleet_execute(const struct options *options, struct plan *plan);

#endif
