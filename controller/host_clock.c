#include "controller/host_clock.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record.h"

static uint32_t number_of(const struct fleet *fleet, const struct fleet_host *host)
{
	return (uint32_t)(host - fleet->hosts);
}

/* Nobody knows yet where the agent's instants lie on the controller's clock: the exchanges around
 * them do, as they stand on the agent's. */
static void announce(struct host_clock *clock, const struct disruption *disruption)
{
	struct clock_cut cut = {0};

	for (uint32_t i = 0; i < clock->count; i++) {
		if (clock->samples[i].t3 <= disruption->from_ns)
			cut.before_ns = clock->samples[i].t4;
		if (clock->samples[i].t2 >= disruption->to_ns && !cut.after_ns)
			cut.after_ns = clock->samples[i].t1;
	}
	if (!cut.before_ns || !cut.after_ns || cut.after_ns < cut.before_ns)
		return; /* outside of what was exchanged */
	struct clock_cut *kept = RECORD_APPEND(clock->announced, clock->announced_count);
	*kept = cut;
}

static void copy_recorded(struct host_clock *clock, const struct clock_record_host *host,
			  uint64_t from_ns)
{
	uint32_t first = 0;

	while (first < host->count && host->samples[first].t1 < from_ns)
		first++;
	clock->count = host->count - first;
	clock->samples = mem_new(clock->count, sizeof(*clock->samples));
	if (clock->count)
		memcpy(clock->samples, host->samples + first,
		       clock->count * sizeof(*clock->samples));
}

void host_clock_init(struct host_clock *clock, const struct fleet *fleet,
		     const struct fleet_host *host, uint64_t from_ns)
{
	*clock = (struct host_clock){0};
	if (fleet->clocks)
		clock->samples = clock_exchange_copy(fleet->clocks, number_of(fleet, host), from_ns,
						     &clock->count);
	else if (fleet->recorded)
		copy_recorded(clock, &fleet->recorded->hosts[number_of(fleet, host)], from_ns);
	/* A gap is the agent's, and a set wall clock not the base clock's: neither moves theta. */
	for (uint32_t i = 0; i < host->disruptions.count; i++)
		if (host->disruptions.list[i].kind == DISRUPTION_SUSPEND ||
		    host->disruptions.list[i].kind == DISRUPTION_FREQUENCY)
			announce(clock, &host->disruptions.list[i]);
	clock_fit_init(&clock->fit, clock->samples, clock->count, clock->announced,
		       clock->announced_count);
}

void host_clock_release(struct host_clock *clock)
{
	clock_fit_release(&clock->fit);
	free(clock->announced);
	free(clock->samples);
	*clock = (struct host_clock){0};
}

struct host_instant host_clock_instant(const struct host_clock *clock, uint64_t agent_ns,
				       uint64_t near)
{
	struct host_instant instant = {.at_ns = near, .bound_ns = UINT64_MAX};

	clock_fit_invert(&clock->fit, agent_ns, near, &instant.at_ns, &instant.bound_ns,
			 &instant.disrupted);
	return instant;
}
