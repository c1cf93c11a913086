#include "controller/fleet.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/random.h"
#include "proto/endpoint.h"
#include "proto/version.h"

#define TICK_NS       (50 * NS_PER_MS)
#define HEARTBEAT_NS  NS_PER_S
#define PROBE_LOST_NS (NS_PER_S / 2)

/* ---- life ---- */

static char *endpoint_of(const struct plan_host *host, uint16_t local_port)
{
	return host->local ? endpoint_format("127.0.0.1", local_port)
			   : endpoint_format(host->name, host->agents->port);
}

static void put_hex(char *text, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
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
	put_hex(token, secret, sizeof(secret));
	return 0;
}

int fleet_open(struct fleet *fleet, const struct plan *plan, const struct plan_hosts *hosts,
	       const uint16_t *local_ports, struct error *err)
{
	uint32_t local = 0;

	fleet->suspect_after_ns = plan->fleet.suspect_after;
	fleet->dead_after_ns = plan->fleet.dead_after;
	fleet->channel = channel_new(err);
	if (!fleet->channel || make_token(fleet->lease, err) < 0)
		return -1;
	fleet->clocks = clock_exchange_new(hosts->count, err);
	if (!fleet->clocks)
		return -1;
	fleet->count = hosts->count;
	fleet->hosts = mem_new(hosts->count, sizeof(*fleet->hosts));
	for (uint32_t i = 0; i < hosts->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		host->plan = &hosts->hosts[i];
		host->endpoint =
			endpoint_of(host->plan, host->plan->local ? local_ports[local++] : 0);
		if (take_secret(host->clock_key, sizeof(host->clock_key), err) < 0 ||
		    take_secret(&host->clock_session, sizeof(host->clock_session), err) < 0 ||
		    reach_resolve(&host->reach, host->endpoint, err) < 0 ||
		    channel_connect(fleet->channel, host->endpoint, &host->peer, err) < 0) {
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
		free(host->disruptions);
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

void fleet_send(struct fleet *fleet, struct fleet_host *host, enum message_kind kind,
		const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = fleet->phase, .attempt = fleet->attempt};
	struct bytes frame = {0};
	struct error err;

	memcpy(envelope.lease, fleet->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	if (channel_send(fleet->channel, &host->peer, &frame, &err) < 0)
		fleet_lose(fleet, host, err.text);
	free(frame.data);
}

void fleet_send_all(struct fleet *fleet, enum message_kind kind, const void *body)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (host->status == FLEET_STATUS_LEASED && (!fleet->phase || host->in_phase))
			fleet_send(fleet, host, kind, body);
	}
}

/* Over ZeroMQ, where datagrams do not get through. */
static void send_probe(struct fleet *fleet, struct fleet_host *host)
{
	struct probe probe = {.t1_ns = clock_now_ns()};

	host->probed_ns = probe.t1_ns;
	fleet_send(fleet, host, MESSAGE_PROBE, &probe);
}

static uint32_t number_of(const struct fleet *fleet, const struct fleet_host *host)
{
	return (uint32_t)(host - fleet->hosts);
}

struct clock_estimate fleet_clock(const struct fleet *fleet, const struct fleet_host *host,
				  uint64_t t)
{
	return clock_exchange_estimate(fleet->clocks, number_of(fleet, host), clock_now_ns(), t);
}

void fleet_amend(struct fleet *fleet, struct fleet_host *host, const struct amend *amend)
{
	host->amend = *amend;
	host->is_amending = true;
	fleet_send(fleet, host, MESSAGE_AMEND, amend);
}

/* ---- state ---- */

static void end_with(struct fleet_host *host, enum fleet_status status, const char *why)
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
	end_with(host, FLEET_STATUS_LOST, why);
	host->lost_ns = clock_now_ns();
	clock_exchange_drop(fleet->clocks, number_of(fleet, host));
	channel_disconnect(fleet->channel, host->endpoint, &host->peer);
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

/* ---- messages ---- */

static void ask_lease(struct fleet *fleet, struct fleet_host *host)
{
	char name[256] = "?";
	const struct passwd *user = getpwuid(getuid());

	gethostname(name, sizeof(name) - 1);
	char *holder = mem_format("%s@%s pid %d", user ? user->pw_name : "?", name, (int)getpid());
	char key[2 * CLOCK_KEY_SIZE + 1];
	put_hex(key, host->clock_key, CLOCK_KEY_SIZE);
	struct lease lease = {.holder = holder,
			      .run = fleet->run,
			      .host = host->plan->name,
			      .dead_after_ns = fleet->dead_after_ns,
			      .clock_key = key,
			      .clock_session = host->clock_session};
	fleet_send(fleet, host, MESSAGE_LEASE, &lease);
	free(holder);
}

static void on_hello(struct fleet *fleet, struct fleet_host *host, const struct hello *hello)
{
	if (host->status != FLEET_STATUS_CONNECTING)
		return;
	if (strcmp(hello->fingerprint, version_fingerprint()) != 0) {
		char *why = mem_format(
			"is %s %s (protocol %s), this controller is muster %s (protocol %s); "
			"install the same build on both",
			hello->program, hello->version, hello->fingerprint, version_text(),
			version_fingerprint());
		end_with(host, FLEET_STATUS_REFUSED, why);
		free(why);
		return;
	}
	host->status = FLEET_STATUS_GREETED;
	ask_lease(fleet, host);
}

static void on_refuse(struct fleet_host *host, const struct refuse *refuse)
{
	if (host->status == FLEET_STATUS_CONNECTING || host->status == FLEET_STATUS_GREETED)
		end_with(host, FLEET_STATUS_REFUSED,
			 refuse->reason ? refuse->reason : "gave no reason");
}

/* Moves the body into `into`, whose old content is released. */
static void take_body(const struct record_table *table, struct message *message, void *into)
{
	record_release(table, into);
	memcpy(into, message->body, table->size);
	memset(message->body, 0, table->size);
}

static void acknowledge(struct fleet *fleet, struct fleet_host *host)
{
	struct ack ack = {.sequence = host->sequence};

	fleet_send(fleet, host, MESSAGE_ACK, &ack);
}

/* In order and once: what was taken before is acknowledged again, what came too early is not. */
static bool take_sequence(struct fleet *fleet, struct fleet_host *host, uint64_t sequence)
{
	bool next = sequence == host->sequence + 1;

	if (next)
		host->sequence = sequence;
	acknowledge(fleet, host);
	return next;
}

#define DISRUPTIONS_KEPT 10000

static void on_disruption(struct fleet_host *host, const struct disruption *disruption)
{
	if (host->disruptions_count >= DISRUPTIONS_KEPT)
		return;
	struct disruption *kept = RECORD_APPEND(host->disruptions, host->disruptions_count);
	*kept = *disruption;
}

static void on_amended(struct fleet_host *host, const struct amended *amended)
{
	if (!host->is_amending || amended->bucket != host->amend.bucket)
		return;
	host->is_amending = false;
	if (!amended->taken)
		return;
	if (amended->bucket == 0)
		host->borders_count = 0; /* the start itself has moved */
	struct border *border = RECORD_APPEND(host->borders, host->borders_count);
	*border = (struct border){.from = amended->bucket,
				  .at_ns = host->amend.at_ns,
				  .drift_ppb = host->amend.drift_ppb};
}

static void on_phase_message(struct fleet *fleet, struct fleet_host *host, struct message *message)
{
	uint64_t now = clock_now_ns();
	struct progress *progress;

	switch (message->envelope.kind) {
	case MESSAGE_PROGRESS:
		progress = message->body;
		if (progress->done_bytes != host->progress.done_bytes)
			host->moved_ns = now;
		take_body(message_types[MESSAGE_PROGRESS].table, message, &host->progress);
		break;
	case MESSAGE_READY:
		take_body(&ready_table, message, &host->ready);
		host->is_ready = true;
		break;
	case MESSAGE_FAILED:
		take_body(message_types[MESSAGE_FAILED].table, message, &host->failed);
		host->is_failed = true;
		break;
	case MESSAGE_LATE:
		host->is_late = true;
		break;
	case MESSAGE_AMENDED:
		on_amended(host, message->body);
		break;
	case MESSAGE_TIMELINE:
		host->moved_ns = now;
		if (take_sequence(fleet, host, ((struct timeline *)message->body)->sequence))
			fleet->on_timeline(fleet->context, number_of(fleet, host), message->body);
		break;
	case MESSAGE_DONE:
		if (take_sequence(fleet, host, ((struct done *)message->body)->sequence)) {
			take_body(&done_table, message, &host->done);
			host->is_done = true;
		}
		break;
	default:
		fleet->dropped++;
	}
}

static void on_probed(struct fleet *fleet, struct fleet_host *host, const struct probed *probed,
		      uint64_t now)
{
	struct clock_sample sample = {.t1 = probed->t1_ns,
				      .t2 = probed->t2_ns,
				      .t3 = probed->t3_ns,
				      .t4 = now,
				      .upper_error_ns = 1,
				      .lower_error_ns = 1,
				      .stamp = CLOCK_STAMP_ZEROMQ};

	if (probed->t1_ns != host->probed_ns)
		return; /* of a probe given up */
	clock_exchange_take(fleet->clocks, number_of(fleet, host), &sample);
	host->probed_ns = 0;
	if (host->probes_left && --host->probes_left)
		send_probe(fleet, host);
}

/* Granted: from here on the clock's datagrams are answered too. */
static void on_leased(struct fleet *fleet, struct fleet_host *host, struct message *message)
{
	struct clock_exchange_host how = {.address = host->reach.address,
					  .address_size = host->reach.size,
					  .session = host->clock_session};

	if (host->status != FLEET_STATUS_GREETED)
		return;
	take_body(message_types[MESSAGE_LEASED].table, message, &host->facts);
	host->status = FLEET_STATUS_LEASED;
	memcpy(how.key, host->clock_key, sizeof(how.key));
	clock_exchange_add(fleet->clocks, number_of(fleet, host), &how);
}

static void on_leased_message(struct fleet *fleet, struct fleet_host *host, struct message *message,
			      uint64_t now)
{
	const struct envelope *envelope = &message->envelope;

	if (strcmp(envelope->lease, fleet->lease) != 0) {
		fleet->dropped++;
		return;
	}
	switch (envelope->kind) {
	case MESSAGE_LEASED:
		on_leased(fleet, host, message);
		break;
	case MESSAGE_DISRUPTION:
		on_disruption(host, message->body);
		break;
	case MESSAGE_HEARTBEAT:
		break;
	case MESSAGE_PROBED:
		on_probed(fleet, host, message->body, now);
		break;
	case MESSAGE_RELEASED:
		take_body(&released_table, message, &host->released);
		host->is_released = true;
		break;
	default:
		if (host->in_phase && envelope->phase == fleet->phase &&
		    envelope->attempt == fleet->attempt)
			on_phase_message(fleet, host, message);
	}
}

/* The socket's name for a peer is "h<number of the connect>": no search over the hosts. */
static struct fleet_host *host_of(struct fleet *fleet, const struct channel_peer *peer)
{
	unsigned long number = 0;

	for (size_t i = 1; i < peer->size && i < 10; i++)
		number = number * 10 + (unsigned long)(peer->id[i] - '0');
	if (number < 1 || number > fleet->count)
		return NULL;
	struct fleet_host *host = &fleet->hosts[number - 1];
	return channel_peer_is(&host->peer, peer) ? host : NULL;
}

static void take_frame(struct fleet *fleet, const struct channel_peer *peer,
		       const struct bytes *frame)
{
	uint64_t now = clock_now_ns(), passed;
	struct fleet_host *host = host_of(fleet, peer);
	struct message message;
	struct error err;

	if (!host || host->status == FLEET_STATUS_LOST) {
		fleet->dropped++;
		return;
	}
	if (codec_unpack(frame->data, frame->size, &message, &err) < 0) {
		fleet->dropped++;
		if ((passed = log_limit_pass(&fleet->malformed, now)))
			log_warning("host '%s' sent a malformed message (%llu such): %s",
				    host->plan->name, (unsigned long long)passed, err.text);
		return;
	}
	host->heard_ns = now;
	if (message.envelope.kind == MESSAGE_HELLO)
		on_hello(fleet, host, message.body);
	else if (message.envelope.kind == MESSAGE_REFUSE)
		on_refuse(host, message.body);
	else
		on_leased_message(fleet, host, &message, now);
	message_release(&message);
}

/* ---- what time brings ---- */

/* How many of the hosts that fall silent at one time are asked for the reason: each may take
 * 300 ms, in which the others hear no heartbeat. */
#define REACH_AT_ONCE 4

static void watch_silence(struct fleet *fleet, struct fleet_host *host, uint64_t now,
			  uint32_t *lost)
{
	uint64_t silence = now - host->heard_ns;

	if (silence > fleet->dead_after_ns) {
		char *why = (*lost)++ < REACH_AT_ONCE
				    ? reach_describe(&host->reach, silence)
				    : mem_format("no answer for %.1f s", (double)silence / 1e9);
		fleet_lose(fleet, host, why);
		free(why);
		return;
	}
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

static void tick(struct fleet *fleet)
{
	uint64_t now = clock_now_ns();

	if (now - fleet->ticked_ns < TICK_NS)
		return;
	fleet->ticked_ns = now;
	bool beat = now - fleet->beat_ns >= HEARTBEAT_NS;
	uint32_t lost = 0;
	if (beat)
		fleet->beat_ns = now;
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		if (host->status != FLEET_STATUS_LEASED)
			continue;
		watch_silence(fleet, host, now, &lost);
		if (host->status != FLEET_STATUS_LEASED)
			continue;
		struct heartbeat heartbeat = {.now_ns = now};
		if (beat)
			fleet_send(fleet, host, MESSAGE_HEARTBEAT, &heartbeat);
		if (host->probed_ns && now - host->probed_ns > PROBE_LOST_NS)
			host->probed_ns = host->probes_left = 0;
		if (!host->probed_ns && clock_exchange_wants_zeromq(fleet->clocks, i)) {
			host->probes_left = CLOCK_BURST;
			send_probe(fleet, host);
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
		take_frame(fleet, &peer, &frame);
		free(frame.data);
		tick(fleet);
		if (clock_now_ns() > end)
			break;
	}
	tick(fleet);
}
