/* crew.h - all workers of one target in a phase, a thread each, and what they did together.
 *
 * The last worker that has drained does the fsync at the end, so that each target's is timed from
 * its own end. The session thread collects timelines while they run; the rest is read after
 * crew_join. */
#ifndef MUSTER_AGENT_CREW_H
#define MUSTER_AGENT_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/evidence.h"
#include "agent/gate.h"
#include "agent/placement.h"
#include "agent/punctual.h"
#include "agent/worker.h"
#include "common/error.h"
#include "proto/messages.h"

struct crew_member;

/* What all crews of a phase share; lent. */
struct crew_start {
	struct gate *gate; /* open once `map` says when */
	struct clock_map *map;
	struct punctual *punctual;
};

struct crew {
	const struct load_target *target;
	const struct phase *phase;
	struct crew_start start;
	struct placement placement;
	uint32_t first; /* its first worker, counted through all crews of the phase */
	const atomic_bool *stop;
	struct crew_member *members; /* one a worker */
	uint32_t count, threads;
	struct tally collected; /* what the timeline has said so far; the session thread's */

	atomic_uint running;               /* workers that have not drained */
	_Atomic uint64_t syncing_since_ns; /* 0: no fsync is under way */
	uint64_t sync_ns;
	int sync_error;               /* errno; 0: none */
	const struct part *sync_part; /* at which it failed */
	bool is_synced;               /* all that was written is on the medium */
	struct evidence evidence;     /* opened by who prepares a phase that verifies */
};

/* Allocates all workers, then starts their threads, which wait at the gate. `setup->index` is set
 * for each; everything is lent. Released after, also on failure. */
int crew_init(struct crew *crew, const struct worker_setup *setup, const struct crew_start *start,
	      struct error *err);
int crew_start(struct crew *crew, struct error *err);

/* Once all wait at the gate: whether one could not go to its processors. */
int crew_check_bound(const struct crew *crew, struct error *err);

/* What a worker is bound to; NULL: to none. */
const struct cpu_list *crew_cpus(const struct crew *crew, uint32_t index);

/* The gate is open or shut, or crew_start failed and it was shut. */
void crew_join(struct crew *crew);
void crew_release(struct crew *crew);

/* The session thread's: appends increments as target `number`. */
void crew_collect(struct crew *crew, uint32_t number, struct timeline *into);

/* Joined: tells the target's parts whether what was written is on the medium. */
void crew_mark_synced(const struct crew *crew);

/* For how long the longest outstanding I/O or fsync is out; 0: none is. */
uint64_t crew_waiting_ns(const struct crew *crew, uint64_t now_ns);

/* Whether a request has been outstanding for longer than the limit: the oldest that is known. */
bool crew_outstanding(const struct crew *crew, uint64_t limit_ns, uint64_t now_ns,
		      struct outstanding_request *oldest);

/* After crew_join. Totals, latencies and the first error; a record for each worker. */
void crew_report(const struct crew *crew, struct done *done);

/* After crew_join: the worst that happened to the crew, as a sentence; false: nothing did. */
bool crew_failure(const struct crew *crew, struct error *err);

/* The session thread's, after crew_join and a last crew_collect: whether the timeline does not add
 * up to the totals, which are counted apart. */
bool crew_sums_differ(const struct crew *crew, struct error *err);

/* After crew_join: remembers which data of which generation stand where now. */
void crew_record(const struct crew *crew, struct written *written);

const struct worker *crew_worker(const struct crew *crew, uint32_t index);

#endif
