/* phase_run.h - one phase on this host: targets, workers, and what they did.
 *
 * The session thread calls everything here but never waits in it: preparing runs in a helper
 * thread of its own, workers in theirs. Life: phase_run_new -> (poll until READY or FAILED) ->
 * phase_run_start -> harvest each now and then -> (poll until ENDED) -> phase_run_done ->
 * phase_run_free. */
#ifndef MUSTER_AGENT_PHASE_RUN_H
#define MUSTER_AGENT_PHASE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/config.h"
#include "agent/made_files.h"
#include "agent/written.h"
#include "common/error.h"
#include "proto/messages.h"

struct phase_run;

enum phase_run_state {
	PHASE_RUN_PREPARING, /* the helper thread is at work */
	PHASE_RUN_READY,     /* workers parked */
	PHASE_RUN_FAILED,    /* see phase_run_failure */
	PHASE_RUN_RUNNING,   /* started, not all workers and the sync at the end are through */
	PHASE_RUN_ENDED,     /* all joined, counters read */
};

/* Begins to prepare in a helper thread. `prepare` is copied; the rest is lent until free. */
struct phase_run *phase_run_new(const struct prepare *prepare, const char *host,
				const struct agent_config *config, struct made_files *files,
				struct written *written);

enum phase_run_state phase_run_state(struct phase_run *run);

/* Why it FAILED; the texts are the run's. */
const struct failed *phase_run_failure(const struct phase_run *run);

/* Lay-out so far, of all targets together; false when none is going on. `progress->target` is the
 * one that stepped forward longest ago and `moved_ns` the clock of that step, which the session
 * holds against its limit. The text is the run's. */
bool phase_run_progress(struct phase_run *run, struct progress *progress, uint64_t *moved_ns);

/* When READY: the answer to the controller, the run's. */
const struct ready *phase_run_ready(const struct phase_run *run);

/* While PREPARING: the target that is being looked at or opened, NULL: none in particular. */
const char *phase_run_preparing(const struct phase_run *run);

/* Lets the workers go as `start` says; a timed phase for which it names no end ends after ramp and
 * runtime. Impossible instants break the phase. */
void phase_run_start(struct phase_run *run, const struct start *start);

/* The start, or borders of buckets, have moved; false: not taken (clock_map.h says when). */
bool phase_run_amend(struct phase_run *run, const struct amend *amend);

/* Asks for an end now: workers stop submitting, drain, and the run becomes ENDED. Before the start
 * it becomes FAILED: at once when READY or laying out, else when the helper thread comes to its
 * next step. `why` is kept. Does not wait. */
void phase_run_stop(struct phase_run *run, enum done_state state, const char *why);

/* Appends what was completed since the last call; `now_ns` closes nothing, since increments add. */
void phase_run_harvest(struct phase_run *run, struct timeline *into);

/* When ENDED (after a last harvest): everything but `sequence`. The caller record_releases it. */
void phase_run_done(struct phase_run *run, struct done *done);

/* While RUNNING: bytes that its devices have moved since boot, so that a long sync is
 * told from one that is stuck. Reads a small file of the kernel. */
uint64_t phase_run_moved(const struct phase_run *run);

/* A request that has been outstanding for longer than io_timeout, the oldest that is known; lent
 * until the run is freed. False: none is, or the run is not RUNNING. */
struct phase_run_request {
	const char *target, *path; /* path: of its file or first part; NULL for null */
	uint64_t offset, since_ns, waited_ns;
};
bool phase_run_outstanding(struct phase_run *run, uint64_t now_ns,
			   struct phase_run_request *request);
uint64_t phase_run_io_timeout(const struct phase_run *run);

/* Oldest I/O that is still outstanding, for a message when a stop takes too long: fills the
 * target's name and for how long; false when none is. */
bool phase_run_stuck(struct phase_run *run, uint64_t now_ns, const char **target,
		     uint64_t *since_ns);

/* Joins and frees; the state must be READY, FAILED or ENDED. NULL is fine. Where a lay-out's I/O
 * is stuck, nothing is waited for: what that I/O needs is freed when it ends, and nothing that was
 * lent is touched any more. */
void phase_run_free(struct phase_run *run);

#endif
