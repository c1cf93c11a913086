/* fleet.h - the controller's side of the conversation with every agent.
 *
 * One thread. fleet_pump() moves messages, keeps heartbeats and clock probes going and notices who
 * is silent; the run loop asks questions in between. What an agent answers is kept in its
 * fleet_host until the next phase. A message that is not of the lease, the phase and its attempt is
 * dropped, counted. */
#ifndef MUSTER_CONTROLLER_FLEET_H
#define MUSTER_CONTROLLER_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/log.h"
#include "controller/clock_exchange.h"
#include "controller/clock_record.h"
#include "controller/disruptions.h"
#include "controller/keyring.h"
#include "controller/local.h"
#include "controller/plan.h"
#include "controller/reach.h"
#include "proto/border.h"
#include "proto/channel.h"
#include "proto/codec.h"
#include "proto/messages.h"
#include "proto/run_id.h"

/* What a host was told last in a phase: prepare, start or abort. It is told again when its
 * heartbeat shows that this was lost with a connection (fleet_ask.c). */
struct fleet_asked {
	enum message_kind kind;
	uint64_t sent_ns;
	struct bytes frame; /* empty: nothing */
};

enum fleet_status {
	FLEET_STATUS_CONNECTING, /* no hello yet */
	FLEET_STATUS_GREETED,    /* same build; lease asked for */
	FLEET_STATUS_LEASED,
	FLEET_STATUS_REFUSED, /* said no to hello or lease: see `why` */
	FLEET_STATUS_LOST,    /* silent for dead_after, or stuck: see `why` */
};

struct fleet_host {
	const struct plan_host *plan;
	const struct keyring_host *keys;
	char *endpoint; /* as the plan names it */
	struct reach reach;
	char *address;      /* the endpoint with the address in figures: what is connected to */
	uint64_t closed_ns; /* it first ended a handshake without a word; 0: it has not */
	struct channel_peer peer;
	enum fleet_status status;
	char *why; /* REFUSED, LOST */
	struct leased facts;
	unsigned char clock_key[CLOCK_KEY_SIZE];
	uint64_t clock_session;
	uint32_t probes_left; /* of the burst over ZeroMQ under way */
	uint64_t probed_ns;
	struct disruptions disruptions; /* in all of the run */
	uint64_t heard_ns;
	uint64_t lost_ns;    /* 0: not lost */
	bool suspected;      /* silent for suspect_after, not dead */
	uint64_t silence_ns; /* longest silence in this phase that was over suspect_after */

	/* of the phase under way */
	bool in_phase;
	bool is_ready, is_failed, is_late, is_done, is_released;
	struct ready ready;
	struct failed failed;
	struct done done;
	struct released released;
	struct progress progress;
	uint64_t moved_ns; /* controller's clock when it last showed progress */
	uint64_t sequence; /* newest timeline or done that was taken */
	bool is_started;   /* was told to start */
	bool is_stopped;   /* was told to stop before it had answered, or ended */
	struct fleet_asked asked;
	struct border *
		borders; /* of its buckets on its own clock: the start, then each amendment taken */
	uint32_t borders_count;
	struct amend amend; /* the newest */
	uint64_t amend_sent_ns;
	bool is_amending; /* it was not answered */
};

/* Of a host in the phase: it has not said yet whether it is ready. */
static inline bool fleet_host_is_preparing(const struct fleet_host *host)
{
	return !host->is_ready && !host->is_failed;
}

/* It was told to start, and has neither said that it did not nor ended. */
static inline bool fleet_host_is_running(const struct fleet_host *host)
{
	return host->is_started && !host->is_late && !host->is_failed && !host->is_done;
}

/* It has something under way that an abort has to end. */
static inline bool fleet_host_is_unsettled(const struct fleet_host *host)
{
	return fleet_host_is_running(host) || fleet_host_is_preparing(host);
}

struct fleet {
	struct channel *channel;
	struct clock_exchange *clocks;       /* one a host, numbered alike */
	const struct clock_record *recorded; /* instead of them, of a run that is over; lent */
	uint32_t kept_phase; /* phases up to it are on the disk: agents may forget them */
	struct fleet_host *hosts;
	uint32_t count;
	char run[RUN_ID_SIZE];
	char owner[RUN_ID_OWNER_SIZE]; /* of the run; empty before fleet_open: it is
					* made, out of `run` and the controller's key if it has one
					*/
	char lease[CODEC_LEASE_SIZE];
	uint64_t suspect_after_ns, dead_after_ns;
	uint32_t phase, attempt; /* under way; 0: none */
	uint64_t ticked_ns, beat_ns;
	struct log_limit malformed;
	uint64_t dropped; /* malformed or unexpected */
	/* Called for each new timeline batch, in order, once; NULL: nobody wants them. */
	void (*on_timeline)(void *context, uint32_t host, const struct timeline *timeline);
	void *context;
	/* Called for what comes out of a spool, of any lease, and for each `fetched`; it may take
	 * the body. NULL: nobody has asked. */
	void (*on_kept)(void *context, uint32_t host, struct message *message);
	void *kept_context;
};

/* `hosts` and `keyring` are lent until fleet_close; `local` has an agent for each local host, in
 * order; who does not run is REFUSED. */
int fleet_open(struct fleet *fleet, const struct plan *plan, const struct plan_hosts *hosts,
	       const struct keyring *keyring, const struct local_agents *local, struct error *err);
void fleet_close(struct fleet *fleet);

/* Says hello to all and asks for their leases. 0 when every one is LEASED; -1 with every host that
 * is not and why (ERROR_SETUP), nothing having been asked of any beyond that. At most 10.3 s; once
 * one has said no, the others have half a second. */
int fleet_join(struct fleet *fleet, const volatile int *interrupted, struct error *err);

/* Likewise where each that is there counts, whatever the others say: all have 10 s. */
int fleet_join_present(struct fleet *fleet, const volatile int *interrupted, struct error *err);

/* Asks every leased host to clean up and be free, again and again until each has answered (one that
 * still winds a phase down does not take it yet), at most 120 s. What could not be removed is in
 * `released`. */
#define FLEET_RELEASE_NS UINT64_C(120000000000)
void fleet_release(struct fleet *fleet);

/* Moves messages for at most `timeout_ms`. */
void fleet_pump(struct fleet *fleet, int timeout_ms);

void fleet_send(struct fleet *fleet, struct fleet_host *host, enum message_kind kind,
		const void *body);

/* Tells a host to prepare, start or abort the phase, in place of what it was told before; goes on
 * doing so while that is lost. */
void fleet_ask(struct fleet *fleet, struct fleet_host *host, enum message_kind kind,
	       const void *body);
/* Every host in the phase that is LEASED. */
void fleet_ask_all(struct fleet *fleet, enum message_kind kind, const void *body);

/* The first exchanges with every host: until something is known of each, at most 3 s. */
void fleet_meet_clocks(struct fleet *fleet, const volatile int *interrupted);

/* What is known now of the host's clock at the controller's instant `t`. */
struct clock_estimate fleet_clock(const struct fleet *fleet, const struct fleet_host *host,
				  uint64_t t);

/* Sends new borders from bucket `amend->bucket` on; they hold once the agent has taken them. Gives
 * them their number. */
void fleet_amend(struct fleet *fleet, struct fleet_host *host, const struct amend *amend);

/* Forgets the answers of the last phase and makes `phase`, `attempt` the one under way. */
void fleet_begin_phase(struct fleet *fleet, uint32_t phase, uint32_t attempt);

/* Gives a host up and says so: its later messages are ignored. `why` is copied. */
void fleet_lose(struct fleet *fleet, struct fleet_host *host, const char *why);

/* Hosts that are LEASED. */
uint32_t fleet_alive(const struct fleet *fleet);

#endif
