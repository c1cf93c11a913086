/* journal.h - what a run has measured so far, on disk as it goes: `journal.bin` in the run's
 * temporary directory.
 *
 * So that a controller that is killed leaves something to complete (`muster collect`) and to go on
 * with (`muster run --resume`). A row of records (common/framed.h), each a byte that says which
 * (enum journal_kind) and the record as msgpack, or for JOURNAL_CLOCK a clock record
 * (clock_record.h). What is in it are the agents' answers and the controller's instants, not
 * figures: those are made of it again, by the code that makes them in a run (replay.h).
 *
 *     head  host…  { clock… begun started clock… (series… answer)… ended }…
 *
 * Series stand before the answer that they belong to, so that of a host that has one all is there,
 * wherever the disk was full.
 * A run that is taken up again appends one more head and its hosts. A phase is on the disk when
 * its `ended` is synced; only then do agents forget theirs. */
#ifndef MUSTER_CONTROLLER_JOURNAL_H
#define MUSTER_CONTROLLER_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/clock_record.h"
#include "controller/collect.h"
#include "controller/fleet.h"
#include "controller/journal_lock.h"

#define JOURNAL_NAME   "journal.bin"
#define JOURNAL_FORMAT 3

enum journal_kind {
	JOURNAL_HEAD = 1,
	JOURNAL_HOST,
	JOURNAL_BEGUN,
	JOURNAL_STARTED,
	JOURNAL_CLOCK,
	JOURNAL_ANSWER,
	JOURNAL_SERIES,
	JOURNAL_ENDED,
	JOURNAL_KINDS,
};

struct journal_head {
	uint32_t format; /* JOURNAL_FORMAT */
	char *run;
	char *owner;           /* the run's secret (run_id.h): agents give its results for it */
	char *started_at;      /* wall clock, for people */
	char *fingerprint;     /* of the messages that are in here */
	uint64_t run_start_ns; /* controller's clock; wraps where the run is older than the clock */
	uint64_t now_ns;       /* when this was written */
	uint32_t plan_crc;     /* of plan.yaml's bytes (framed_crc) */
	uint32_t kept_trials;  /* taken up again: those up to it hold, what is of others does not */
	uint64_t seed;
	bool insecure;
	struct name *settings; /* --set, in order */
	uint32_t settings_count;
};
struct journal_host {
	uint32_t host; /* number in the fleet */
	char *name;
	char *directory; /* of the controller's own agent there (local.h); NULL: it is another's */
	struct leased facts;
};
struct journal_begun {
	uint32_t number, attempt, trial;
	uint32_t phase; /* index in the plan */
};
struct journal_started {
	uint32_t number, attempt;
	uint64_t start_ns;
};
struct journal_border {
	uint32_t from;
	uint64_t at_ns;
	int64_t drift_ppb;
};
/* All that a host had to say of a phase. */
struct journal_answer {
	uint32_t number, host;
	bool is_lost, is_started, is_stopped;
	char *why;
	char *collected; /* how it came out of the host's spool; NULL: it came in the run */
	uint64_t lost_ns, silence_ns;
	struct ready *ready;   /* NULL: it did not */
	struct failed *failed; /* likewise */
	struct done *done;     /* likewise */
	struct journal_border *borders;
	uint32_t borders_count;
	struct disruption *disruptions; /* since its answer before this one */
	uint32_t disruptions_count;
	uint64_t disruptions_dropped; /* likewise (disruptions.h) */
};
/* Buckets as they came, before anything is put right; several of one host add up. */
struct journal_series {
	uint32_t number, host;
	struct timeline buckets;
};
struct journal_ended {
	uint32_t number;
	uint32_t end; /* enum run_phase_end */
	uint64_t now_ns;
};
/* The table of a kind; NULL for JOURNAL_CLOCK and what is none. */
const struct record_table *journal_table(enum journal_kind kind);

/* Appends a record to a journal that is made in memory. */
void journal_pack(struct bytes *into, enum journal_kind kind, const void *record);
void journal_pack_clock(struct bytes *into, const struct clock_record *record);

struct journal;

/* Makes `journal.bin` in the directory and locks it (journal_lock.h); or, where this program holds
 * journals already, goes on behind what is whole of the one that is there (`keep` bytes). `held`
 * NULL: it holds none. Nobody else may read it. NULL with err. */
struct journal *journal_open(const char *directory, const struct journal_locks *held, uint64_t keep,
			     struct error *err);
/* -1 (ERROR_SETUP) where another program works with the one in that directory. */
int journal_check_free(const char *directory, struct error *err);

/* Waits until all is written, for a disk that does not answer at most 10 s. NULL is fine, here and
 * below: then nothing is kept. */
void journal_close(struct journal *journal);

/* None of these waits for the disk: a thread writes (writer.h). */
void journal_add(struct journal *journal, enum journal_kind kind, const void *record);
/* The exchanges with all hosts since the last call: of each burst the tightest. */
void journal_add_clocks(struct journal *journal, struct fleet *fleet);
/* The same, when the last were 2 s ago. */
void journal_follow_clocks(struct journal *journal, struct fleet *fleet);

/* A phase's number, and its start: each is to be synced, since agents keep what they measure under
 * that number, and only a phase that the journal knows can be told from one that is over. */
void journal_begin_phase(struct journal *journal, const struct journal_begun *begun);
void journal_start_phase(struct journal *journal, const struct journal_started *started);
/* The phase under way as it came from the hosts, before collect_end; then it is to be synced.
 * Moves messages as long as more than may wait is not written, at most 10 s a record. */
void journal_end_phase(struct journal *journal, struct fleet *fleet, const struct collect *collect,
		       uint32_t number, uint32_t end);
/* Phases up to this number are on the disk; does not wait. */
uint32_t journal_kept(struct journal *journal);
/* Moves messages until they all are, at most 10 s. */
void journal_settle(struct journal *journal, struct fleet *fleet);
/* Waits until all is written, without moving messages. -1 when the disk has been at one write or
 * sync for longer than `patience_ns` (at least 10 s): whoever touches it now waits as long. */
int journal_wait(struct journal *journal, uint64_t patience_ns, struct error *err);

#endif
