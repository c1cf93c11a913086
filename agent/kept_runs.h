/* kept_runs.h - what phases measured, in the agent's spool until a controller has it on its disk.
 *
 *     <spool>/results/<run>/lease                  who held the agent, and what the host was
 *     <spool>/results/<run>/phase.<number>.<attempt>
 *
 * Each is a row of records (common/framed.h), each record a frame as it goes over the network
 * (proto/codec.h). `lease` has lease (without the clock's key, and of the owner's
 * secret the digest) and leased; a phase's file prepare,
 * ready and start, then in order what was taken and told: amend, disruption, timeline, done. A file
 * without done is of a phase that the agent did not see the end of.
 *
 * Every call here may wait for the disk. */
#ifndef MUSTER_AGENT_KEPT_RUNS_H
#define MUSTER_AGENT_KEPT_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "proto/messages.h"

struct kept_runs {
	char *path;
	int directory; /* -1: not open */
};

/* Makes `<spool>/results` where it is absent. */
int kept_runs_open(struct kept_runs *kept, const char *spool, struct error *err);
void kept_runs_close(struct kept_runs *kept);

/* Makes the run's directory with `lease` in it; one that is there already is fine. */
int kept_runs_make(struct kept_runs *kept, const char *run, const struct bytes *lease,
		   struct error *err);
/* Whether nothing is kept of a run of that name, or it is of this owner (digest of its secret).
 * What cannot be read, or does not say whose it is, is nobody's: it ages out. */
bool kept_runs_is_of(struct kept_runs *kept, const char *run, const char *owner);
/* A new file for the phase, to append to; -1 also where there is one already. */
int kept_runs_add(struct kept_runs *kept, const char *run, uint32_t number, uint32_t attempt,
		  struct error *err);
/* Onto the disk: the file, its name, and the run's. */
int kept_runs_sync(struct kept_runs *kept, const char *run, int fd, struct error *err);

/* Removes the phases up to `number`, and the run where none is left. */
void kept_runs_forget(struct kept_runs *kept, const char *run, uint32_t number);

/* Every run that is there, with its phases, oldest first; a stranger's files are passed over. */
void kept_runs_list(struct kept_runs *kept, struct leased *into);

/* Removes the runs to which nothing was added for `keep_ns` by the wall clock: each is told. */
void kept_runs_expire(struct kept_runs *kept, uint64_t keep_ns,
		      void (*each)(void *context, const char *run, uint64_t bytes), void *context);

/* Whole records from `offset` of a phase's file on: as many as fit into KEPT_RUNS_READ bytes, or
 * one that is larger. */
#define KEPT_RUNS_READ FETCH_PIECE_BYTES
struct kept_read {
	struct bytes bytes; /* as in the file; the caller's to free */
	uint64_t next;      /* the offset behind them */
	uint64_t torn;      /* bytes at the file's end that are no record */
	bool is_end;
};
/* Number 0 is `lease`. */
int kept_runs_read(struct kept_runs *kept, const char *run, uint32_t number, uint32_t attempt,
		   uint64_t offset, struct kept_read *read, struct error *err);

#endif
