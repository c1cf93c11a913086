/* session_inside.h - what the files of the session share: its struct, sending, and the state table.
 *
 * session.c serves and keeps the time, session_messages.c takes what comes, session_door.c says who
 * was not let in. One thread. */
#ifndef MUSTER_AGENT_SESSION_INSIDE_H
#define MUSTER_AGENT_SESSION_INSIDE_H

#include "agent/cleaner.h"
#include "agent/outbox.h"
#include "agent/phase_run.h"
#include "agent/platform/platform.h"
#include "agent/session.h"
#include "common/clock.h"
#include "common/log.h"
#include "proto/agent_state.h"
#include "proto/codec.h"
#include "proto/run_id.h"

/* How long the session waits for messages before it looks around. */
#define SESSION_TICK_MS 20

struct session {
	const struct session_setup *setup;
	struct platform_facts facts;
	struct written *written;

	enum agent_state state;
	char lease[CODEC_LEASE_SIZE];
	char *holder, *host; /* of the lease */
	char since[CLOCK_TEXT_SIZE];
	uint64_t dead_after_ns, leased_ns, heard_ns, beat_ns;
	struct channel_peer controller;
	bool controller_left; /* released or expired: nobody to answer to */

	uint32_t phase, attempt;
	struct phase_run *run;
	/* Answers that are given again when the controller asks again: they may be lost. */
	struct failed failed; /* of this phase and attempt; text NULL: it has not */
	struct amended amended;
	uint64_t controller_ns; /* now_ns of its newest heartbeat; 0: none */
	bool done_queued;
	uint64_t harvested_ns, progress_ns;
	uint64_t gap_from_ns;               /* when the longest began */
	uint64_t ticked_ns, longest_gap_ns; /* how long the session itself stood still */
	/* session_stuck.c: when it looked, the oldest request then, and what was said of it. */
	uint64_t stuck_look_ns, stuck_since_ns;
	/* Likewise: the target that was being opened then, lent by the run, and since when. */
	const char *opening;
	uint64_t opening_look_ns, opening_since_ns;
	char *stuck;
	struct outbox outbox;
	struct cleaner *cleaner;
	bool keep;                  /* the release says that files stay */
	uint64_t spooling_since_ns; /* all else is done; 0: it is not */
	/* The lease before, and what became of its files: also an answer that may be lost. */
	char released_lease[CODEC_LEASE_SIZE];
	struct released released;

	char *run_id;                      /* of the lease */
	char run_owner[RUN_ID_OWNER_SIZE]; /* digest of its secret */
	struct bytes lease_records;        /* the run's `lease` file (kept_runs.h) */
	struct bytes preface;              /* prepare and ready, until the phase starts */
	uint64_t spool_need;               /* of the phase */
	bool recording;                    /* the phase's file is open */
	struct fetch fetch;
	bool fetching;

	struct log_limit malformed, unexpected, strangers, refused, failed_handshakes;
};

/* To the controller, while it is there; to any peer. */
void session_send(struct session *s, enum message_kind kind, const void *body);
void session_send_to(struct session *s, const struct channel_peer *peer, enum message_kind kind,
		     const void *body);

/* Why the phase was not prepared, or was stopped before its start: copied into s->failed, and told.
 */
void session_fail(struct session *s, const struct failed *failed);
/* Likewise, for who asks again. */
void session_keep_failure(struct session *s, const struct failed *failed);
void session_tell_ready(struct session *s);
/* What became of the files of the lease before. */
void session_tell_released(struct session *s, const struct channel_peer *peer);

/* Goes on by the table; what it does not allow is said and refused. */
bool session_go(struct session *s, enum agent_event event);

/* Frees the run, which has come to its end, and what waits of it. */
void session_end_phase(struct session *s);
void session_forget_lease(struct session *s);

/* ---- session_record.c: the spool ---- */

/* What the run's directory begins with. */
void session_note_lease(struct session *s, const struct lease *lease, const struct leased *leased);
/* What waits in the spool, and what could not be removed; of `leased`. While LEASED alone: no other
 * thread is at the lists then. */
void session_list_kept(struct session *s, struct leased *leased);

/* Whether the phase's results fit; false: *why, the caller's to free. */
bool session_has_room(struct session *s, const struct prepare *prepare, char **why);
/* Stands before the phase's start in its file; s->preface is emptied with each prepare. */
void session_note(struct session *s, enum message_kind kind, const void *body);
void session_record_begin(struct session *s, const struct start *start);
/* Nothing unless a phase is being recorded. */
void session_record(struct session *s, enum message_kind kind, const void *body);
void session_record_end(struct session *s);
/* All of it, where the lease is of that run. */
void session_forget_run(struct session *s, const char *run);
void session_forget_phases(struct session *s, uint32_t number);

void session_fetch(struct session *s, const struct fetch *fetch);
void session_poll_fetch(struct session *s);
void session_release_records(struct session *s);
/* Says who was not let in since. */
void session_watch_door(struct session *s, uint64_t now);

/* While RUNNING: says that I/O is stuck, and stops the load as far as that goes. */
void session_watch_stuck(struct session *s, uint64_t now);
/* While PREPARING: likewise of a target that does not open. */
void session_watch_opening(struct session *s, uint64_t now);

/* Takes what comes, for a tick at most. */
void session_receive(struct session *s);

#endif
