/* outstanding.h - what a worker's I/O waits for, as others see it.
 *
 * Written by the worker alone, with plain stores once a batch and a look at its requests once a
 * second; read by the session. In most cases nothing comes back at all and the worker sits in the
 * system; with a queue one request can be stuck while others come back, and only the worker's own
 * look finds it. */
#ifndef MUSTER_AGENT_OUTSTANDING_H
#define MUSTER_AGENT_OUTSTANDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct request;

/* In the place of an offset: it is the fsync between requests. */
#define OUTSTANDING_SYNC UINT64_MAX

struct outstanding {
	_Atomic uint64_t waiting_since_ns; /* nothing came back since; 0: nothing is in flight */
	_Atomic uint64_t offset;           /* in the target, of one that is in flight then */
	/* Of the oldest request, when it was older than the limit at the last look; 0: it was not.
	 */
	_Atomic uint64_t stuck_since_ns, stuck_offset;
	uint64_t look_ns; /* the worker's: when it looks next */
};

/* A request that has been outstanding for longer than a limit. */
struct outstanding_request {
	uint64_t since_ns, offset;
};

/* The worker's requests; those with a number below `unsent` have been submitted. */
struct outstanding_requests {
	const struct request *requests;
	uint32_t count, parts; /* parts: I/Os of each */
	uint64_t unsent;
};

/* The worker, after a reap at `now_ns` and not before look_ns. */
void outstanding_look(struct outstanding *outstanding, const struct outstanding_requests *all,
		      uint64_t limit_ns, uint64_t now_ns);

/* Anybody: whether one is older than `limit_ns` by now; of several the oldest that is known. */
bool outstanding_find(struct outstanding *outstanding, uint64_t limit_ns, uint64_t now_ns,
		      struct outstanding_request *found);

#endif
