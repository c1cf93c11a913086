/* collect.h - what agents report, put into the result on the controller's clock. */
#ifndef MUSTER_CONTROLLER_COLLECT_H
#define MUSTER_CONTROLLER_COLLECT_H

#include "controller/fleet.h"
#include "controller/result.h"

struct collect {
	struct result *result;
	struct result_series *series;
	uint64_t run_start_ns; /* controller's clock */

	/* the phase under way */
	const struct phase *phase;
	uint32_t
		*phase_host; /* index of a fleet host in the phase's hosts; UINT32_MAX: not in it */
	uint64_t start_ns;   /* start instant, controller's clock; 0: not sent */
	uint64_t bytes;      /* of all hosts so far, for the progress line */
	uint64_t dropped;    /* increments that could not be: unknown target, impossible bucket */
	uint64_t until_ns;   /* controller's clock: no bucket lies after it; 0: the present */
	bool is_ending;      /* the figures are being made: what still comes is not taken */
};

/* Adds a phase to the result and makes it the one under way; its hosts are the fleet's that are in
 * the phase or were lost before. A phase that is begun again (another attempt) replaces the last
 * one. */
void collect_begin(struct collect *collect, const struct fleet *fleet, const struct plan *plan,
		   const struct phase *phase, uint32_t trial, bool again);

/* For fleet.on_timeline with the collect as its context. */
void collect_timeline(void *context, uint32_t host, const struct timeline *timeline);

/* Everything about the phase is in, or will never be: fills the result from the hosts' answers. A
 * host's clock takes some ms for each minute of the phase: messages are moved in between, so that
 * no agent goes without heartbeats however many hosts there are. */
void collect_end(struct collect *collect, struct fleet *fleet);

/* Bytes that are kept, to the run's end, of a phase of so many buckets on one host with so many
 * targets: timelines, where each bucket began, histograms. */
uint64_t collect_memory(uint64_t buckets, uint64_t targets);

void collect_release(struct collect *collect);

#endif
