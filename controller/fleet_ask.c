/* fleet_ask.c - what a host in a phase is told, and telling it again when that was lost.
 *
 * A connection that breaks and comes back within dead_after may have taken any message with it.
 * Nothing is repeated by a clock: an agent's heartbeat names the newest of ours that has come to
 * it, so whatever was sent before that one has come too, or never will. Where the state that the
 * same heartbeat names is not what the message leads to, or the answer to it would have come
 * before, it is sent once more: at most once for each of our heartbeats, and agents answer a
 * repeated one as they did the first. */
#include "controller/fleet_inside.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "proto/agent_state.h"

static void send_asked(struct fleet *fleet, struct fleet_host *host)
{
	host->asked.sent_ns = clock_now_ns();
	fleet_send_frame(fleet, host, &host->asked.frame);
}

void fleet_ask(struct fleet *fleet, struct fleet_host *host, enum message_kind kind,
	       const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = fleet->phase, .attempt = fleet->attempt};

	memcpy(envelope.lease, fleet->lease, sizeof(envelope.lease));
	host->asked.kind = kind;
	host->asked.frame.size = 0;
	codec_pack(&envelope, body, &host->asked.frame);
	send_asked(fleet, host);
}

void fleet_ask_all(struct fleet *fleet, enum message_kind kind, const void *body)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (host->status == FLEET_STATUS_LEASED && host->in_phase)
			fleet_ask(fleet, host, kind, body);
	}
}

static void send_amend(struct fleet *fleet, struct fleet_host *host)
{
	host->amend_sent_ns = clock_now_ns();
	fleet_send(fleet, host, MESSAGE_AMEND, &host->amend);
}

void fleet_amend(struct fleet *fleet, struct fleet_host *host, const struct amend *amend)
{
	uint32_t number = host->amend.number + 1;

	host->amend = *amend;
	host->amend.number = number;
	host->is_amending = true;
	send_amend(fleet, host);
}

/* That it, or the answer to it, is lost: the host is in `state`, of this phase or one before. */
static bool is_lost(const struct fleet_host *host, bool is_of_phase, uint32_t state)
{
	bool is_at_barrier = is_of_phase && state == AGENT_STATE_READY;

	switch (host->asked.kind) {
	case MESSAGE_PREPARE:
		return fleet_host_is_preparing(host) &&
		       !(is_of_phase && state == AGENT_STATE_PREPARING);
	case MESSAGE_START:
		return is_at_barrier && !host->is_late;
	case MESSAGE_ABORT:
		return is_at_barrier || fleet_host_is_unsettled(host);
	default:
		return false;
	}
}

void fleet_take_heartbeat(struct fleet *fleet, struct fleet_host *host,
			  const struct envelope *envelope, const struct heartbeat *beat)
{
	bool is_of_phase = envelope->phase == fleet->phase && envelope->attempt == fleet->attempt;

	if (!host->in_phase)
		return;
	if (host->asked.frame.size && beat->heard_ns > host->asked.sent_ns &&
	    is_lost(host, is_of_phase, beat->state)) {
		log_debug("host '%s' has lost '%s', or its answer: once more", host->plan->name,
			  message_types[host->asked.kind].name);
		send_asked(fleet, host);
	}
	if (host->is_amending && beat->heard_ns > host->amend_sent_ns && is_of_phase &&
	    beat->state == AGENT_STATE_RUNNING)
		send_amend(fleet, host);
}
