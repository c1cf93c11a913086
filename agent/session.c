#include "agent/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/cleaner.h"
#include "agent/outbox.h"
#include "agent/phase_run.h"
#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "proto/agent_state.h"
#include "proto/codec.h"
#include "proto/version.h"

#define TICK_MS          20
#define HARVEST_NS       (100 * NS_PER_MS)
#define HEARTBEAT_NS     NS_PER_S
#define SEND_AGAIN_NS    (2 * NS_PER_S)
#define LAYOUT_STUCK_NS  (60 * NS_PER_S)
#define STOP_PATIENCE_NS (30 * NS_PER_S)
#define IDLE_PEER_NS     (60 * NS_PER_S) /* the longest dead_after */

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

	struct log_limit malformed, unexpected, strangers;
};

/* ---- sending ---- */

static void send_to(struct session *s, const struct channel_peer *peer, enum message_kind kind,
		    const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = s->phase, .attempt = s->attempt};
	struct bytes frame = {0};
	struct error err;

	memcpy(envelope.lease, s->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	if (channel_send(s->setup->channel, peer, &frame, &err) < 0)
		log_warning("%s not sent: %s", message_types[kind].name, err.text);
	free(frame.data);
}

static void send_message(struct session *s, enum message_kind kind, const void *body)
{
	if (!s->controller_left)
		send_to(s, &s->controller, kind, body);
}

/* Numbered and kept until acknowledged. */
static void queue_message(struct session *s, enum message_kind kind, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = s->phase, .attempt = s->attempt};
	struct bytes frame = {0};

	memcpy(envelope.lease, s->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	outbox_add(&s->outbox, &frame);
}

static void send_outbox(struct session *s, uint64_t now)
{
	struct outbox_item *item;
	struct error err;

	while (!s->controller_left && (item = outbox_due(&s->outbox, now, SEND_AGAIN_NS))) {
		item->sent_ns = now;
		if (channel_send(s->setup->channel, &s->controller, &item->frame, &err) < 0)
			return;
	}
}

static void refuse(struct session *s, const struct channel_peer *peer, char *reason)
{
	struct refuse body = {.version = (char *)version_text(),
			      .fingerprint = (char *)version_fingerprint(),
			      .host = s->facts.hostname,
			      .reason = reason};
	send_to(s, peer, MESSAGE_REFUSE, &body);
	free(reason);
}

/* ---- state ---- */

/* Goes on by the table; what it does not allow is said and refused. */
static bool go(struct session *s, enum agent_event event)
{
	int next = agent_state_next(s->state, event);
	uint64_t passed;

	if (next < 0) {
		if ((passed = log_limit_pass(&s->unexpected, clock_now_ns())))
			log_warning("%s cannot come in state %s: ignored (%llu such)",
				    agent_event_name(event), agent_state_name(s->state),
				    (unsigned long long)passed);
		return false;
	}
	log_debug("%s: %s -> %s", agent_event_name(event), agent_state_name(s->state),
		  agent_state_name((enum agent_state)next));
	s->state = (enum agent_state)next;
	return true;
}

static void end_phase(struct session *s)
{
	phase_run_free(s->run);
	s->run = NULL;
	outbox_release(&s->outbox);
}

static void forget_lease(struct session *s)
{
	free(s->holder);
	free(s->host);
	s->holder = s->host = NULL;
	s->keep = false;
	memset(s->lease, 0, sizeof(s->lease));
	if (s->setup->responder)
		clock_responder_set(s->setup->responder, 0, NULL);
	s->phase = s->attempt = 0;
}

/* ---- clocks ---- */

static int digit(char c)
{
	const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

static bool read_key(const char *text, unsigned char key[CLOCK_KEY_SIZE])
{
	if (strlen(text) != 2 * CLOCK_KEY_SIZE)
		return false;
	for (size_t i = 0; i < CLOCK_KEY_SIZE; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		key[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

static void tell_disruptions(struct session *s)
{
	struct disruption disruption;

	while (s->setup->watch && disruption_watch_take(s->setup->watch, &disruption))
		if (s->state != AGENT_STATE_FREE)
			send_message(s, MESSAGE_DISRUPTION, &disruption);
}

/* ---- messages ---- */

static void on_hello(struct session *s, const struct channel_peer *peer, const struct hello *hello)
{
	uint64_t passed;

	if (strcmp(hello->fingerprint, version_fingerprint()) != 0) {
		if ((passed = log_limit_pass(&s->strangers, clock_now_ns())))
			log_warning("%s %s on '%s' speaks another protocol (%s, here %s): refused "
				    "(%llu such)",
				    hello->program, hello->version, hello->host, hello->fingerprint,
				    version_fingerprint(), (unsigned long long)passed);
		refuse(s, peer,
		       mem_format(
			       "this agent is muster %s (protocol %s), the controller is muster %s "
			       "(protocol %s); install the same build on both",
			       version_text(), version_fingerprint(), hello->version,
			       hello->fingerprint));
		return;
	}
	struct hello answer = {.version = (char *)version_text(),
			       .fingerprint = (char *)version_fingerprint(),
			       .host = s->facts.hostname,
			       .program = "muster-agent"};
	send_to(s, peer, MESSAGE_HELLO, &answer);
}

static void on_lease(struct session *s, const struct channel_peer *peer,
		     const struct envelope *envelope, const struct lease *lease)
{
	bool again = s->state != AGENT_STATE_FREE && strcmp(envelope->lease, s->lease) == 0;

	if (!again && s->state != AGENT_STATE_FREE) {
		refuse(s, peer,
		       mem_format("the agent is held by %s since %s (state %s)",
				  s->holder ? s->holder : "nobody: it still cleans up", s->since,
				  agent_state_name(s->state)));
		return;
	}
	if (!again) {
		unsigned char key[CLOCK_KEY_SIZE];
		if (strlen(envelope->lease) != CODEC_LEASE_SIZE - 1 ||
		    !read_key(lease->clock_key, key)) {
			refuse(s, peer, mem_text("the lease lacks its token or the clock's key"));
			return;
		}
		if (s->setup->responder)
			clock_responder_set(s->setup->responder, lease->clock_session, key);
		go(s, AGENT_EVENT_LEASE);
		memcpy(s->lease, envelope->lease, sizeof(s->lease));
		s->holder = mem_text(lease->holder);
		s->host = mem_text(lease->host);
		s->dead_after_ns = lease->dead_after_ns;
		s->controller = *peer;
		s->controller_left = false;
		clock_wall_text(s->since);
		log_info("leased to %s as '%s' for run %s", s->holder, s->host, lease->run);
	}
	s->heard_ns = clock_now_ns();
	platform_facts(&s->facts);
	struct leased body = {.system = s->facts.system,
			      .kernel = s->facts.kernel,
			      .hostname = s->facts.hostname,
			      .boot_id = s->facts.boot_id,
			      .cpus = s->facts.cpus,
			      .memory_bytes = s->facts.memory_bytes,
			      .uptime_s = s->facts.uptime_s,
			      .insecure = s->setup->insecure};
	send_message(s, MESSAGE_LEASED, &body);
}

static void on_prepare(struct session *s, const struct envelope *envelope,
		       const struct prepare *prepare)
{
	if (!go(s, AGENT_EVENT_PREPARE))
		return;
	s->phase = envelope->phase;
	s->attempt = envelope->attempt;
	s->answered = s->done_queued = false;
	s->progress_ns = s->harvested_ns = clock_now_ns();
	outbox_release(&s->outbox);
	s->run = phase_run_new(prepare, s->host, s->setup->config, s->setup->files, s->written);
}

static void on_start(struct session *s, const struct start *start)
{
	uint64_t now = clock_now_ns();

	if (s->state == AGENT_STATE_READY && start->at_ns <= now) {
		struct late late = {.at_ns = start->at_ns, .now_ns = now};
		send_message(s, MESSAGE_LATE, &late);
		return;
	}
	if (go(s, AGENT_EVENT_START)) {
		s->longest_gap_ns = 0;
		phase_run_start(s->run, start);
	}
}

static void on_amend(struct session *s, const struct amend *amend)
{
	struct amended answer = {.bucket = amend->bucket};

	if (s->state != AGENT_STATE_RUNNING)
		return;
	answer.taken = phase_run_amend(s->run, amend);
	send_message(s, MESSAGE_AMENDED, &answer);
}

/* The next phase may be asked for right behind the last acknowledgement: finished at once. */
static void on_ack(struct session *s, const struct ack *ack)
{
	outbox_acknowledge(&s->outbox, ack->sequence);
	if (s->state == AGENT_STATE_RUNNING && s->done_queued && outbox_is_empty(&s->outbox) &&
	    go(s, AGENT_EVENT_FINISHED))
		end_phase(s);
}

static void on_abort(struct session *s, const struct abort_load *body)
{
	enum agent_state before = s->state;

	if (!go(s, AGENT_EVENT_ABORT))
		return;
	if (before == AGENT_STATE_READY)
		end_phase(s);
	else if (s->run)
		phase_run_stop(s->run, DONE_ABORTED, body->reason);
}

static void on_release(struct session *s, const struct release *body)
{
	if (go(s, AGENT_EVENT_RELEASE))
		s->keep = body->keep;
}

static void on_probe(struct session *s, const struct channel_peer *peer, const struct probe *probe,
		     uint64_t received_ns)
{
	struct probed body = {.t1_ns = probe->t1_ns, .t2_ns = received_ns};

	body.t3_ns = clock_now_ns();
	send_to(s, peer, MESSAGE_PROBED, &body);
}

/* Only what belongs to the lease and, within a phase, to that phase and attempt. */
static void on_leased_message(struct session *s, const struct channel_peer *peer,
			      const struct message *message, uint64_t now)
{
	const struct envelope *envelope = &message->envelope;

	if (s->state == AGENT_STATE_FREE || strcmp(envelope->lease, s->lease) != 0) {
		log_debug("%s of another lease: ignored", message_types[envelope->kind].name);
		return;
	}
	s->heard_ns = now;
	s->controller = *peer;
	bool of_phase = envelope->phase == s->phase && envelope->attempt == s->attempt;
	switch (envelope->kind) {
	case MESSAGE_PREPARE:
		on_prepare(s, envelope, message->body);
		break;
	case MESSAGE_START:
		if (of_phase)
			on_start(s, message->body);
		break;
	case MESSAGE_AMEND:
		if (of_phase)
			on_amend(s, message->body);
		break;
	case MESSAGE_ACK:
		if (of_phase)
			on_ack(s, message->body);
		break;
	case MESSAGE_ABORT:
		on_abort(s, message->body);
		break;
	case MESSAGE_RELEASE:
		on_release(s, message->body);
		break;
	case MESSAGE_PROBE:
		on_probe(s, peer, message->body, now);
		break;
	default:
		break; /* heartbeat: to have been heard is all */
	}
}

/* Not for longer than a tick, however much comes: one peer must not keep the load and the others
 * waiting. */
static void receive(struct session *s)
{
	uint64_t end = clock_now_ns() + TICK_MS * NS_PER_MS;
	struct channel_peer peer;
	struct bytes frame;
	struct message message;
	struct error err;
	int timeout = TICK_MS;

	while (timeout >= 0 && channel_receive(s->setup->channel, timeout, &peer, &frame) > 0) {
		uint64_t now = clock_now_ns(), passed;
		int bad = codec_unpack(frame.data, frame.size, &message, &err);
		free(frame.data);
		timeout = now < end ? 0 : -1;
		if (bad || !message_types[message.envelope.kind].from_controller) {
			if ((passed = log_limit_pass(&s->malformed, now)))
				log_warning("malformed message from a peer (%.*s…) dropped (%llu "
					    "such): %s",
					    (int)(peer.size < 24 ? peer.size : 24),
					    peer.id[0] ? (const char *)peer.id : "?",
					    (unsigned long long)passed,
					    bad ? err.text : "not a controller's");
			if (!bad)
				message_release(&message);
			continue;
		}
		if (message.envelope.kind == MESSAGE_HELLO)
			on_hello(s, &peer, message.body);
		else if (message.envelope.kind == MESSAGE_LEASE)
			on_lease(s, &peer, &message.envelope, message.body);
		else
			on_leased_message(s, &peer, &message, now);
		message_release(&message);
	}
}

/* ---- what time brings ---- */

static void tell_progress(struct session *s, uint64_t now)
{
	struct progress progress;
	uint64_t moved;

	if (!phase_run_progress(s->run, &progress, &moved))
		return;
	if (now > moved && now - moved > LAYOUT_STUCK_NS)
		phase_run_stop(s->run, DONE_BROKEN,
			       "the lay-out made no progress for 60 s: I/O is stuck");
	if (now - s->progress_ns < NS_PER_S)
		return;
	s->progress_ns = now;
	send_message(s, MESSAGE_PROGRESS, &progress);
}

static void poll_preparing(struct session *s, uint64_t now)
{
	switch (phase_run_state(s->run)) {
	case PHASE_RUN_READY:
		if (go(s, AGENT_EVENT_READY))
			send_message(s, MESSAGE_READY, phase_run_ready(s->run));
		break;
	case PHASE_RUN_FAILED:
		send_message(s, MESSAGE_FAILED, phase_run_failure(s->run));
		go(s, AGENT_EVENT_FAILED);
		end_phase(s);
		break;
	default:
		tell_progress(s, now);
	}
}

static void harvest(struct session *s)
{
	struct timeline batch = {.sequence = s->outbox.sequence + 1};

	phase_run_harvest(s->run, &batch);
	if (batch.buckets_count)
		queue_message(s, MESSAGE_TIMELINE, &batch);
	record_release(&timeline_table, &batch);
}

/* The timeline is silent during the sync at the end: the devices tell whether it goes on. */
static void tell_moved(struct session *s, uint64_t now)
{
	const char *target = "";
	uint64_t since;

	if (now - s->progress_ns < NS_PER_S || !phase_run_stuck(s->run, now, &target, &since) ||
	    since < NS_PER_S)
		return;
	s->progress_ns = now;
	struct progress progress = {.target = (char *)target,
				    .done_bytes = phase_run_moved(s->run)};
	send_message(s, MESSAGE_PROGRESS, &progress);
}

static void queue_done(struct session *s)
{
	struct done done = {0};

	harvest(s);
	phase_run_done(s->run, &done);
	done.sequence = s->outbox.sequence + 1;
	done.frozen_ns = s->longest_gap_ns;
	queue_message(s, MESSAGE_DONE, &done);
	record_release(&done_table, &done);
	s->done_queued = true;
}

static void poll_running(struct session *s, uint64_t now)
{
	if (!s->done_queued && phase_run_state(s->run) == PHASE_RUN_ENDED)
		queue_done(s);
	else if (!s->done_queued && now - s->harvested_ns >= HARVEST_NS) {
		s->harvested_ns = now;
		harvest(s);
		tell_moved(s, now);
	}
}

/* A run that still winds down goes first, then the files, then the lease. */
static void poll_releasing(struct session *s)
{
	if (s->run) {
		enum phase_run_state state = phase_run_state(s->run);
		if (state == PHASE_RUN_PREPARING || state == PHASE_RUN_RUNNING)
			return;
		end_phase(s);
	}
	if (!s->cleaner)
		s->cleaner = cleaner_new(s->setup->files, s->keep);
	if (!cleaner_is_done(s->cleaner))
		return;
	const struct released *released = cleaner_released(s->cleaner);
	for (uint32_t i = 0; i < released->left_count; i++)
		log_warning("not removed: %s", released->left[i].name);
	send_message(s, MESSAGE_RELEASED, released);
	cleaner_free(s->cleaner);
	s->cleaner = NULL;
	written_free(s->written);
	s->written = written_new();
	go(s, AGENT_EVENT_RELEASED);
	log_info("released");
	forget_lease(s);
}

/* Nobody to work for any more: stop the load, remove what was made. */
static void expire(struct session *s, const char *why)
{
	if (!go(s, AGENT_EVENT_EXPIRED))
		return;
	log_warning("%s: stopping the load and freeing the lease of %s", why, s->holder);
	s->controller_left = true;
	channel_forget(s->setup->channel, &s->controller);
	if (s->run)
		phase_run_stop(s->run, DONE_ABORTED, why);
}

static void tick(struct session *s)
{
	uint64_t now = clock_now_ns();

	if (s->ticked_ns && now - s->ticked_ns > s->longest_gap_ns)
		s->longest_gap_ns = now - s->ticked_ns;
	s->ticked_ns = now;
	tell_disruptions(s);
	channel_forget_idle(s->setup->channel, now > IDLE_PEER_NS ? now - IDLE_PEER_NS : 0);
	if (s->state == AGENT_STATE_FREE)
		return;
	if (now - s->heard_ns > s->dead_after_ns && s->state != AGENT_STATE_RELEASING)
		expire(s, "the controller has been silent for longer than dead_after");
	if (s->state == AGENT_STATE_PREPARING)
		poll_preparing(s, now);
	if (s->state == AGENT_STATE_RUNNING)
		poll_running(s, now);
	if (s->state == AGENT_STATE_RELEASING)
		poll_releasing(s);
	if (s->state == AGENT_STATE_FREE)
		return;
	send_outbox(s, now);
	if (now - s->beat_ns >= HEARTBEAT_NS) {
		struct heartbeat beat = {.now_ns = now, .state = (uint32_t)s->state};
		s->beat_ns = now;
		send_message(s, MESSAGE_HEARTBEAT, &beat);
	}
}

static bool parent_is_gone(const struct session *s)
{
	struct pollfd item = {.fd = s->setup->parent_fd, .events = POLLIN};
	char junk[64];

	if (item.fd < 0 || poll(&item, 1, 0) <= 0)
		return false;
	return read(item.fd, junk, sizeof(junk)) <= 0;
}

/* Ends what is under way; bounded by STOP_PATIENCE_NS. */
static int wind_down(struct session *s, struct error *err)
{
	uint64_t end = clock_now_ns() + STOP_PATIENCE_NS;

	if (s->state != AGENT_STATE_FREE && s->state != AGENT_STATE_RELEASING)
		expire(s, "the agent is told to end");
	while (s->state == AGENT_STATE_RELEASING && clock_now_ns() < end) {
		clock_sleep(TICK_MS * NS_PER_MS);
		poll_releasing(s);
	}
	if (s->state == AGENT_STATE_FREE)
		return 0;
	const char *target = NULL;
	uint64_t since = 0;
	if (s->run && phase_run_stuck(s->run, clock_now_ns(), &target, &since))
		error_set(err, ERROR_BROKEN,
			  "I/O on target '%s' has been outstanding for %llu s and cannot be ended",
			  target, (unsigned long long)(since / NS_PER_S));
	else
		error_set(err, ERROR_BROKEN, "the load could not be stopped within 30 s");
	return -1;
}

int session_serve(const struct session_setup *setup, struct error *err)
{
	struct session *s = mem_new(1, sizeof(*s));

	s->setup = setup;
	s->written = written_new();
	outbox_init(&s->outbox);
	platform_facts(&s->facts);
	while (!atomic_load(setup->stop) && !parent_is_gone(s)) {
		receive(s);
		tick(s);
	}
	int result = wind_down(s, err);
	if (result == 0) {
		written_free(s->written);
		forget_lease(s);
		free(s);
	}
	return result;
}
