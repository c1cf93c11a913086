/* host_clock.h - after the fact: one agent's instants on the controller's clock, from all of the
 * exchanges with it. */
#ifndef MUSTER_CONTROLLER_HOST_CLOCK_H
#define MUSTER_CONTROLLER_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/clock_fit.h"
#include "controller/fleet.h"

struct host_clock {
	struct clock_sample *samples;
	uint32_t count;
	struct clock_cut *announced;
	uint32_t announced_count;
	struct clock_fit fit;
};

/* Copies what was exchanged with the host since `from_ns` (controller's clock; 0: all), and cuts it
 * where the agent said that its clock stood still (suspend) or changed its rate, and where the
 * exchanges prove a step. For instants from T on, what was exchanged before T -
 * HOST_CLOCK_BEFORE_NS changes nothing. */
#define HOST_CLOCK_BEFORE_NS (2 * CLOCK_FIT_WINDOW_NS)
void host_clock_init(struct host_clock *clock, const struct fleet *fleet,
		     const struct fleet_host *host, uint64_t from_ns);
void host_clock_release(struct host_clock *clock);

struct host_instant {
	uint64_t at_ns;    /* controller's clock */
	uint64_t bound_ns; /* it is within +- this; UINT64_MAX: nothing is known */
	bool disrupted;    /* the clock jumped about then */
};
/* `near`: where it must about be. */
struct host_instant host_clock_instant(const struct host_clock *clock, uint64_t agent_ns,
				       uint64_t near);

#endif
