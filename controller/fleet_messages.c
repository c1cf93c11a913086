/* fleet_messages.c - what agents say, and what the controller keeps of it. */
#include "controller/fleet_inside.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/hex.h"
#include "common/memory.h"
#include "proto/version.h"

void fleet_ask_lease(struct fleet *fleet, struct fleet_host *host)
{
	char name[256] = "?";
	const struct passwd *user = getpwuid(getuid());

	gethostname(name, sizeof(name) - 1);
	char *holder = mem_format("%s@%s pid %d", user ? user->pw_name : "?", name, (int)getpid());
	char key[2 * CLOCK_KEY_SIZE + 1];
	hex_format(key, host->clock_key, CLOCK_KEY_SIZE);
	struct lease lease = {.holder = holder,
			      .run = fleet->run,
			      .owner = fleet->owner,
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
			"%s: is %s %s (protocol %s), this controller is muster %s (protocol %s); "
			"install the same build on both",
			"PROTOCOL_MISMATCH", hello->program, hello->version, hello->fingerprint,
			version_text(), version_fingerprint());
		fleet_end_with(host, FLEET_STATUS_REFUSED, why);
		free(why);
		return;
	}
	host->status = FLEET_STATUS_GREETED;
	fleet_ask_lease(fleet, host);
}

static void on_refuse(struct fleet_host *host, const struct refuse *refuse)
{
	if (host->status == FLEET_STATUS_CONNECTING || host->status == FLEET_STATUS_GREETED)
		fleet_end_with(host, FLEET_STATUS_REFUSED,
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

/* Of a phase that is over: the agent is held by it when the last acknowledgement was lost. */
static void acknowledge_past(struct fleet *fleet, struct fleet_host *host,
			     const struct message *message)
{
	const struct envelope *envelope = &message->envelope;
	struct ack ack = {0};

	if (envelope->kind == MESSAGE_TIMELINE)
		ack.sequence = ((const struct timeline *)message->body)->sequence;
	else if (envelope->kind == MESSAGE_DONE)
		ack.sequence = ((const struct done *)message->body)->sequence;
	else
		return;
	fleet_send_of(fleet, host, envelope->phase, envelope->attempt, MESSAGE_ACK, &ack);
}

static void on_amended(struct fleet_host *host, const struct amended *amended)
{
	if (!host->is_amending || amended->number != host->amend.number)
		return;
	host->is_amending = false;
	if (!amended->taken)
		return;
	if (host->amend.bucket == 0)
		host->borders_count = 0; /* the start itself has moved */
	struct border *border = RECORD_APPEND(host->borders, host->borders_count);
	*border = (struct border){.from = host->amend.bucket,
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
	case MESSAGE_STUCK:
		fleet_lose(fleet, host, ((struct stuck *)message->body)->text);
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
		if (take_sequence(fleet, host, ((struct timeline *)message->body)->sequence) &&
		    fleet->on_timeline)
			fleet->on_timeline(fleet->context, fleet_number(fleet, host),
					   message->body);
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
	clock_exchange_take(fleet->clocks, fleet_number(fleet, host), &sample);
	host->probed_ns = 0;
	if (host->probes_left && --host->probes_left)
		fleet_send_probe(fleet, host);
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
	clock_exchange_add(fleet->clocks, fleet_number(fleet, host), &how);
}

static void on_leased_message(struct fleet *fleet, struct fleet_host *host, struct message *message,
			      uint64_t now)
{
	const struct envelope *envelope = &message->envelope;

	if (strcmp(envelope->lease, fleet->lease) != 0 || envelope->kind == MESSAGE_FETCHED) {
		if (fleet->on_kept)
			fleet->on_kept(fleet->kept_context, fleet_number(fleet, host), message);
		else
			fleet->dropped++;
		return;
	}
	switch (envelope->kind) {
	case MESSAGE_LEASED:
		on_leased(fleet, host, message);
		break;
	case MESSAGE_DISRUPTION:
		disruptions_add(&host->disruptions, message->body);
		break;
	case MESSAGE_HEARTBEAT:
		fleet_take_heartbeat(fleet, host, envelope, message->body);
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
		else
			acknowledge_past(fleet, host, message);
	}
}

/* The socket's name for a peer is "h<number of the connect>": no search over the hosts. */
static struct fleet_host *host_of(struct fleet *fleet, const struct channel_peer *peer)
{
	unsigned long number = 0;

	for (size_t i = 1; i < peer->size && i < 10; i++)
		number = number * 10 + (unsigned long)(peer->id[i] - '0');
	/* Hosts that there is no connection to have no number. */
	for (unsigned long i = number > 0 ? number - 1 : 0; i < fleet->count; i++)
		if (channel_peer_is(&fleet->hosts[i].peer, peer))
			return &fleet->hosts[i];
	return NULL;
}

void fleet_take_frame(struct fleet *fleet, const struct channel_peer *peer,
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
