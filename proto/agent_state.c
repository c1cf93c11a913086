#include "proto/agent_state.h"

#include <stddef.h>

static const struct {
	enum agent_state from;
	enum agent_event event;
	enum agent_state to;
} transitions[] = {
	{AGENT_STATE_FREE, AGENT_EVENT_LEASE, AGENT_STATE_LEASED},
	{AGENT_STATE_LEASED, AGENT_EVENT_PREPARE, AGENT_STATE_PREPARING},
	{AGENT_STATE_LEASED, AGENT_EVENT_ABORT, AGENT_STATE_LEASED},
	{AGENT_STATE_LEASED, AGENT_EVENT_RELEASE, AGENT_STATE_RELEASING},
	{AGENT_STATE_LEASED, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_PREPARING, AGENT_EVENT_READY, AGENT_STATE_READY},
	{AGENT_STATE_PREPARING, AGENT_EVENT_FAILED, AGENT_STATE_LEASED},
	{AGENT_STATE_PREPARING, AGENT_EVENT_ABORT, AGENT_STATE_PREPARING},
	{AGENT_STATE_PREPARING, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_READY, AGENT_EVENT_START, AGENT_STATE_RUNNING},
	{AGENT_STATE_READY, AGENT_EVENT_ABORT, AGENT_STATE_LEASED},
	{AGENT_STATE_READY, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_RUNNING, AGENT_EVENT_ABORT, AGENT_STATE_RUNNING},
	{AGENT_STATE_RUNNING, AGENT_EVENT_FINISHED, AGENT_STATE_LEASED},
	{AGENT_STATE_RUNNING, AGENT_EVENT_EXPIRED, AGENT_STATE_RELEASING},
	{AGENT_STATE_RELEASING, AGENT_EVENT_RELEASED, AGENT_STATE_FREE},
};

int agent_state_next(enum agent_state from, enum agent_event event)
{
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++)
		if (transitions[i].from == from && transitions[i].event == event)
			return (int)transitions[i].to;
	return -1;
}

static const char *const state_names[AGENT_STATES] = {
	[AGENT_STATE_FREE] = "free",           [AGENT_STATE_LEASED] = "leased",
	[AGENT_STATE_PREPARING] = "preparing", [AGENT_STATE_READY] = "ready",
	[AGENT_STATE_RUNNING] = "running",     [AGENT_STATE_RELEASING] = "releasing",
};
static const char *const event_names[AGENT_EVENTS] = {
	[AGENT_EVENT_LEASE] = "lease",       [AGENT_EVENT_PREPARE] = "prepare",
	[AGENT_EVENT_READY] = "ready",       [AGENT_EVENT_FAILED] = "failed",
	[AGENT_EVENT_START] = "start",       [AGENT_EVENT_FINISHED] = "finished",
	[AGENT_EVENT_ABORT] = "abort",       [AGENT_EVENT_RELEASE] = "release",
	[AGENT_EVENT_RELEASED] = "released", [AGENT_EVENT_EXPIRED] = "expired",
};

const char *agent_state_name(enum agent_state state)
{
	return (unsigned)state < AGENT_STATES ? state_names[state] : "unknown";
}

const char *agent_event_name(enum agent_event event)
{
	return (unsigned)event < AGENT_EVENTS ? event_names[event] : "unknown";
}
