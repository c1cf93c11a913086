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
	uint64_t dead_after_ns, heard_ns, beat_ns;
	struct channel_peer controller;
	bool controller_left; /* released or expired: nobody to answer to */

	uint32_t phase, attempt;
	struct phase_run *run;
	bool answered; /* ready or failed was sent */
	bool done_queued;
	uint64_t harvested_ns, progress_ns;
	uint64_t ticked_ns, longest_gap_ns; /* how long the session itself stood still */
	struct outbox outbox;
	struct cleaner *cleaner;
	bool keep; /* the release says that files stay */

	struct log_limit malformed, unexpected, strangers, refused, failed_handshakes;
};

/* To the controller, while it is there; to any peer. */
void session_send(struct session *s, enum message_kind kind, const void *body);
void session_send_to(struct session *s, const struct channel_peer *peer, enum message_kind kind,
		     const void *body);

/* Goes on by the table; what it does not allow is said and refused. */
bool session_go(struct session *s, enum agent_event event);

/* Frees the run, which has come to its end, and what waits of it. */
void session_end_phase(struct session *s);
void session_forget_lease(struct session *s);

/* Says who was not let in since. */
void session_watch_door(struct session *s, uint64_t now);

/* Takes what comes, for a tick at most. */
void session_receive(struct session *s);

#endif
