#include "controller/fleet_inside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/memory.h"
#include "common/random.h"
#include "proto/endpoint.h"

#define TICK_NS       (50 * NS_PER_MS)
#define HEARTBEAT_NS  NS_PER_S
#define PROBE_LOST_NS (NS_PER_S / 2)

/* ---- life ---- */

static char *endpoint_of(const struct plan_host *host, uint16_t local_port)
{
	return host->local ? endpoint_format("127.0.0.1", local_port)
			   : endpoint_format(host->name, host->agents->port);
}

static int take_secret(void *into, size_t size, struct error *err)
{
	if (random_secret(into, size))
		return 0;
	error_set(err, ERROR_SYSTEM,
		  "the system gives no random numbers (/dev/urandom): no lease or "
		  "key can be made");
	return -1;
}

static int make_token(char token[CODEC_LEASE_SIZE], struct error *err)
{
	unsigned char secret[(CODEC_LEASE_SIZE - 1) / 2];

	if (take_secret(secret, sizeof(secret), err) < 0)
		return -1;
	hex_format(token, secret, sizeof(secret));
	return 0;
}

/* With a key of its own the controller can tell the secret again, when all else that had it is
 * gone. */
static int make_owner(struct fleet *fleet, const struct keyring *keyring, struct error *err)
{
	if (!keyring->own_path)
		return run_id_make_owner(fleet->owner, err);
	run_id_derive_owner(keyring->own.secret, fleet->run, fleet->owner);
	return 0;
}

static int connect_host(struct fleet *fleet, struct fleet_host *host, struct error *err)
{
	const struct keyring_host *keys = host->keys;

	if (!keys->secured)
		return channel_connect(fleet->channel, host->reach.endpoint, &host->peer, err);
	return channel_connect_secure(fleet->channel, host->reach.endpoint, keys->own,
				      keys->agent.public, &host->peer, err);
}

int fleet_open(struct fleet *fleet, const struct plan *plan, const struct plan_hosts *hosts,
	       const struct keyring *keyring, const struct local_agents *local, struct error *err)
{
	uint32_t locals = 0;

	fleet->suspect_after_ns = plan->fleet.suspect_after;
	fleet->dead_after_ns = plan->fleet.dead_after;
	fleet->channel = channel_new(err);
	if (!fleet->channel || make_token(fleet->lease, err) < 0 ||
	    (!fleet->owner[0] && make_owner(fleet, keyring, err) < 0))
		return -1;
	fleet->clocks = clock_exchange_new(hosts->count, err);
	if (!fleet->clocks)
		return -1;
	fleet->count = hosts->count;
	fleet->hosts = mem_new(hosts->count, sizeof(*fleet->hosts));
	for (uint32_t i = 0; i < hosts->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		host->plan = &hosts->hosts[i];
		host->keys = &keyring->hosts[i];
		const struct local_agent *agent =
			host->plan->local ? &local->agents[locals++] : NULL;
		host->endpoint = endpoint_of(host->plan, agent ? agent->port : 0);
		if (agent && agent->why) {
			fleet_end_with(host, FLEET_STATUS_REFUSED, agent->why);
			continue;
		}
		if (take_secret(host->clock_key, sizeof(host->clock_key), err) < 0 ||
		    take_secret(&host->clock_session, sizeof(host->clock_session), err) < 0 ||
		    reach_resolve(&host->reach, host->endpoint, err) < 0 ||
		    connect_host(fleet, host, err) < 0) {
			error_prefix(err, "host '%s'", host->plan->name);
			return -1;
		}
	}
	return 0;
}

static void forget_answers(struct fleet_host *host)
{
	record_release(&ready_table, &host->ready);
	record_release(message_types[MESSAGE_FAILED].table, &host->failed);
	record_release(&done_table, &host->done);
	record_release(message_types[MESSAGE_PROGRESS].table, &host->progress);
	free(host->borders);
	host->borders = NULL;
	host->borders_count = 0;
	free(host->asked.frame.data);
	host->asked = (struct fleet_asked){0};
	host->amend = (struct amend){0};
	host->is_started = host->is_stopped = host->is_amending = false;
	host->is_ready = host->is_failed = host->is_late = host->is_done = false;
	host->sequence = host->silence_ns = 0;
	host->suspected = false;
}

void fleet_close(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		forget_answers(host);
		record_release(&released_table, &host->released);
		record_release(message_types[MESSAGE_LEASED].table, &host->facts);
		disruptions_release(&host->disruptions);
		free(host->endpoint);
		free(host->why);
	}
	free(fleet->hosts);
	fleet->hosts = NULL;
	fleet->count = 0;
	clock_exchange_free(fleet->clocks);
	fleet->clocks = NULL;
	channel_free(fleet->channel, 500);
	fleet->channel = NULL;
}

uint32_t fleet_alive(const struct fleet *fleet)
{
	uint32_t alive = 0;

	for (uint32_t i = 0; i < fleet->count; i++)
		alive += fleet->hosts[i].status == FLEET_STATUS_LEASED;
	return alive;
}

/* ---- sending ---- */

void fleet_send_frame(struct fleet *fleet, struct fleet_host *host, const struct bytes *frame)
{
	struct error err;

	if (channel_send(fleet->channel, &host->peer, frame, &err) < 0)
		fleet_lose(fleet, host, err.text);
}

void fleet_send_of(struct fleet *fleet, struct fleet_host *host, uint32_t phase, uint32_t attempt,
		   enum message_kind kind, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = phase, .attempt = attempt};
	struct bytes frame = {0};

	memcpy(envelope.lease, fleet->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	fleet_send_frame(fleet, host, &frame);
	free(frame.data);
}

void fleet_send(struct fleet *fleet, struct fleet_host *host, enum message_kind kind,
		const void *body)
{
	fleet_send_of(fleet, host, fleet->phase, fleet->attempt, kind, body);
}

void fleet_send_probe(struct fleet *fleet, struct fleet_host *host)
{
	struct probe probe = {.t1_ns = clock_now_ns()};

	host->probed_ns = probe.t1_ns;
	fleet_send(fleet, host, MESSAGE_PROBE, &probe);
}

uint32_t fleet_number(const struct fleet *fleet, const struct fleet_host *host)
{
	return (uint32_t)(host - fleet->hosts);
}

struct clock_estimate fleet_clock(const struct fleet *fleet, const struct fleet_host *host,
				  uint64_t t)
{
	return clock_exchange_estimate(fleet->clocks, fleet_number(fleet, host), clock_now_ns(), t);
}

/* ---- state ---- */

void fleet_end_with(struct fleet_host *host, enum fleet_status status, const char *why)
{
	host->status = status;
	free(host->why);
	host->why = mem_text(why);
	host->probes_left = 0;
}

void fleet_lose(struct fleet *fleet, struct fleet_host *host, const char *why)
{
	if (host->status == FLEET_STATUS_LOST)
		return;
	/* Now, and not with the phase's end: where the others go on, that may be hours away. */
	log_error("host '%s' is lost: %s", host->plan->name, why);
	fleet_end_with(host, FLEET_STATUS_LOST, why);
	host->lost_ns = clock_now_ns();
	clock_exchange_drop(fleet->clocks, fleet_number(fleet, host));
	channel_disconnect(fleet->channel, host->reach.endpoint, &host->peer);
}

void fleet_begin_phase(struct fleet *fleet, uint32_t phase, uint32_t attempt)
{
	fleet->phase = phase;
	fleet->attempt = attempt;
	for (uint32_t i = 0; i < fleet->count; i++) {
		forget_answers(&fleet->hosts[i]);
		fleet->hosts[i].in_phase = false;
		fleet->hosts[i].moved_ns = clock_now_ns();
	}
}

/* ---- what time brings ---- */

static bool is_watched(const struct fleet_host *host)
{
	return host->status == FLEET_STATUS_LEASED && !host->is_released;
}

/* Of so many that fall silent at one time it is asked why. */
#define LOOKS_AT_ONCE 256

/* Those silent for dead_after are lost. In the 300 ms that the look takes the others hear no
 * heartbeat, however many are looked at. */
static void lose_silent(struct fleet *fleet, uint64_t now)
{
	struct reach_look looks[LOOKS_AT_ONCE];
	struct fleet_host *silent[LOOKS_AT_ONCE];
	uint32_t count = 0;

	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		uint64_t silence = now - host->heard_ns;
		if (!is_watched(host) || silence <= fleet->dead_after_ns)
			continue;
		if (count < LOOKS_AT_ONCE) {
			looks[count].reach = &host->reach;
			looks[count].silence_ns = silence;
			silent[count++] = host;
			continue;
		}
		char *why = mem_format("no answer for %.1f s", (double)silence / 1e9);
		fleet_lose(fleet, host, why);
		free(why);
	}
	if (!count)
		return;
	reach_look(looks, count);
	for (uint32_t i = 0; i < count; i++) {
		fleet_lose(fleet, silent[i], looks[i].why);
		free(looks[i].why);
	}
}

static void watch_silence(struct fleet *fleet, struct fleet_host *host, uint64_t now)
{
	uint64_t silence = now - host->heard_ns;

	if (silence > fleet->suspect_after_ns) {
		if (!host->suspected)
			log_warning("host '%s' has been silent for %.1f s", host->plan->name,
				    (double)silence / 1e9);
		host->suspected = true;
		if (silence > host->silence_ns)
			host->silence_ns = silence;
	} else if (host->suspected) {
		host->suspected = false;
		log_info("host '%s' is back", host->plan->name);
	}
}

/* While it measures with what its clock is known to show: it keeps that beside its buckets. */
static void send_heartbeat(struct fleet *fleet, struct fleet_host *host, uint64_t now)
{
	struct heartbeat beat = {.now_ns = now};

	if (host->is_started && !host->is_done) {
		struct clock_estimate estimate = fleet_clock(fleet, host, now);
		if (estimate.known && !estimate.disrupted) {
			beat.agent_ns = (uint64_t)((int64_t)now + estimate.offset_ns);
			beat.bound_ns = clock_estimate_bound(&estimate);
		}
	}
	fleet_send(fleet, host, MESSAGE_HEARTBEAT, &beat);
}

static void tick(struct fleet *fleet)
{
	uint64_t now = clock_now_ns();

	if (now - fleet->ticked_ns < TICK_NS)
		return;
	fleet->ticked_ns = now;
	lose_silent(fleet, now);
	bool beat = now - fleet->beat_ns >= HEARTBEAT_NS;
	if (beat)
		fleet->beat_ns = now;
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (!is_watched(host))
			continue;
		watch_silence(fleet, host, now);
		if (beat)
			send_heartbeat(fleet, host, now);
		if (host->probed_ns && now - host->probed_ns > PROBE_LOST_NS)
			host->probed_ns = host->probes_left = 0;
		if (!host->probed_ns && clock_exchange_wants_zeromq(fleet->clocks, i)) {
			host->probes_left = CLOCK_BURST;
			fleet_send_probe(fleet, host);
		}
	}
}

void fleet_pump(struct fleet *fleet, int timeout_ms)
{
	struct channel_peer peer;
	struct bytes frame;
	uint64_t end = clock_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;

	/* Messages without a gap must not keep the caller from what it watches. */
	for (int wait = timeout_ms; channel_receive(fleet->channel, wait, &peer, &frame) > 0;
	     wait = 0) {
		fleet_take_frame(fleet, &peer, &frame);
		free(frame.data);
		tick(fleet);
		if (clock_now_ns() > end)
			break;
	}
	fleet_watch_handshakes(fleet);
	tick(fleet);
}
