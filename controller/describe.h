/* describe.h - the hosts of a fleet as the result has them. */
#ifndef MUSTER_CONTROLLER_DESCRIBE_H
#define MUSTER_CONTROLLER_DESCRIBE_H

#include "controller/fleet.h"
#include "controller/result.h"

/* Adds every host of the fleet with what it said of itself. */
void describe_hosts(struct result *result, const struct fleet *fleet);

/* Fills each host's clock from all exchanges so far: offset and drift at `at_ns` of the
 * controller's clock; times of disruptions count from `run_start_ns`. */
void describe_clocks(struct result *result, const struct fleet *fleet, uint64_t at_ns,
		     uint64_t run_start_ns);

#endif
