/* recorder.h - writes what a phase measures into the spool, in a thread of its own.
 *
 * The session hands frames over and never waits: a disk that stalls makes them queue here, at most
 * RECORDER_QUEUE_MOST bytes; beyond that, on an error, and at the spool's limit the rest of the
 * phase is not recorded, which the log tells at its end, and the load goes on. Nothing is synced
 * before the phase ends. */
#ifndef MUSTER_AGENT_RECORDER_H
#define MUSTER_AGENT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/kept_runs.h"

#define RECORDER_QUEUE_MOST (16u << 20)

struct recorder;

/* Looks through what is there and removes what is older than `keep_ns` (kept_runs.h), logged.
 * `limit` is of all runs together. */
struct recorder *recorder_new(const char *spool, uint64_t limit, uint64_t keep_ns,
			      struct error *err);
/* Writes what is queued, for at most 10 s: a thread that hangs in the kernel is left to the end of
 * the process. NULL is fine. */
void recorder_free(struct recorder *recorder);

/* As many runs of `all` as a frame holds, `run` first; those that do not fit are counted
 * (kept_more). Of one run that is up to RECORDER_PHASES_MOST phases. */
#define RECORDER_PHASES_MOST 50000
void recorder_fit(const struct leased *all, const char *run, struct leased *into);
/* Of those that are on disk: fills `kept` of the answer to a lease. */
void recorder_list(struct recorder *recorder, const char *run, struct leased *into);
/* Who held it, as a text of the caller's, when something is kept of a run of that name and of
 * another owner than that digest (run_id.h); else NULL. */
char *recorder_other_owner(struct recorder *recorder, const char *run, const char *digest);
/* Bytes of them all, and phases of `run`; of these what its phases up to `number` have. */
struct recorder_use {
	uint64_t bytes, spare_bytes;
	uint32_t phases, spare_phases;
};
struct recorder_use recorder_used(struct recorder *recorder, const char *run, uint32_t number);

/* Here and below `owner` is the digest of the run's secret; what is another's is left alone.
 *
 * One phase at a time. `lease` are the records of the run's lease (kept_runs.h); copied. */
void recorder_begin(struct recorder *recorder, const char *run, const char *owner,
		    const struct bytes *lease, uint32_t number, uint32_t attempt);
/* A frame; copied. Nothing between an end and the next begin. */
void recorder_add(struct recorder *recorder, const struct bytes *frame);
void recorder_end(struct recorder *recorder);

/* Nothing is queued or under way: the lists are those of the disk. */
bool recorder_is_idle(struct recorder *recorder);

/* Removes the phases up to `number`, UINT32_MAX: all of the run. */
void recorder_forget(struct recorder *recorder, const char *run, const char *owner,
		     uint32_t number);

/* Why the phase that is written, or was last, is not whole in the spool; false: nothing is known
 * against it. */
bool recorder_problem(struct recorder *recorder, struct error *problem);

/* Reads (kept_runs_read); one at a time, the answer of an earlier one is dropped. */
void recorder_read(struct recorder *recorder, const char *run, const char *owner, uint32_t number,
		   uint32_t attempt, uint64_t offset);
/* Whether it is there: 1, the caller's; 0: not yet, or nothing was asked; -1: it cannot be read. */
int recorder_take(struct recorder *recorder, struct kept_read *read, struct error *err);

#endif
