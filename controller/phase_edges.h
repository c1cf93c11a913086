/* phase_edges.h - how well a phase's instants are known: where each host's buckets truly began, and
 * how far apart workers started and stopped. */
#ifndef MUSTER_CONTROLLER_PHASE_EDGES_H
#define MUSTER_CONTROLLER_PHASE_EDGES_H

#include "controller/host_clock.h"
#include "controller/result.h"

/* What is compared: the start instant and the run's on the controller's clock. */
struct phase_edges {
	const struct result_phase *phase;
	uint64_t start_ns, run_start_ns;
};

/* The agent's instant on the controller's clock since the run's start; 0 (no I/O) stays 0. */
uint64_t phase_edges_since_run(const struct phase_edges *edges, const struct host_clock *clock,
			       const struct fleet_host *host, uint64_t agent_ns,
			       struct host_instant *instant);

/* For each of `count` buckets of the host: by how much it began off its instant. The list is the
 * caller's to free; `into` gets the largest. */
struct series_edge *phase_edges_compute(const struct phase_edges *edges,
					const struct host_clock *clock,
					const struct fleet_host *host, uint32_t count,
					struct result_edges *into);

/* Start and stop skew of all workers that did I/O, their bounds, and who was late. `bounds` has
 * each host's own bound (of the phase's hosts, ns; UINT64_MAX: unknown). */
void phase_edges_skew(struct result_phase *phase, const uint64_t *bounds);

#endif
