/* agent_state.h - what an agent may be asked next: one table, used on both sides. */
#ifndef MUSTER_PROTO_AGENT_STATE_H
#define MUSTER_PROTO_AGENT_STATE_H

#include <stdbool.h>

enum agent_state {
	AGENT_STATE_FREE,      /* nobody's */
	AGENT_STATE_LEASED,    /* one controller's, no phase */
	AGENT_STATE_PREPARING, /* checks, makes, lays out */
	AGENT_STATE_READY,     /* workers parked at the barrier */
	AGENT_STATE_RUNNING,   /* armed, or under load, until all is acknowledged */
	AGENT_STATE_RELEASING, /* removes what it made */
	AGENT_STATES,
};

enum agent_event {
	AGENT_EVENT_LEASE,    /* message */
	AGENT_EVENT_PREPARE,  /* message */
	AGENT_EVENT_READY,    /* prepared */
	AGENT_EVENT_FAILED,   /* not prepared, or prepared and then aborted */
	AGENT_EVENT_START,    /* message, in time */
	AGENT_EVENT_FINISHED, /* done, and all of it acknowledged */
	AGENT_EVENT_ABORT,    /* message */
	AGENT_EVENT_RELEASE,  /* message */
	AGENT_EVENT_RELEASED, /* removed */
	AGENT_EVENT_EXPIRED,  /* the controller was silent for dead_after */
	AGENT_EVENTS,
};

/* The state after `event` in `from`, or -1: the table does not allow it. */
int agent_state_next(enum agent_state from, enum agent_event event);

const char *agent_state_name(enum agent_state state);
const char *agent_event_name(enum agent_event event);

#endif
