/* session_messages.c - what a controller says, and what the agent does about it. */
#include "agent/session_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "common/memory.h"
#include "proto/version.h"

static bool read_key(const char *text, unsigned char key[CLOCK_KEY_SIZE])
{
	return strlen(text) == 2 * CLOCK_KEY_SIZE && hex_parse(key, CLOCK_KEY_SIZE, text);
}

static void refuse(struct session *s, const struct channel_peer *peer, char *reason)
{
	struct refuse body = {.version = (char *)version_text(),
			      .fingerprint = (char *)version_fingerprint(),
			      .host = s->facts.hostname,
			      .reason = reason};
	session_send_to(s, peer, MESSAGE_REFUSE, &body);
	free(reason);
}

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
		       mem_format("PROTOCOL_MISMATCH: this agent is muster %s (protocol %s), the "
				  "controller is muster %s "
				  "(protocol %s); install the same build on both",
				  version_text(), version_fingerprint(), hello->version,
				  hello->fingerprint));
		return;
	}
	struct hello answer = {.version = (char *)version_text(),
			       .fingerprint = (char *)version_fingerprint(),
			       .host = s->facts.hostname,
			       .program = "muster-agent"};
	session_send_to(s, peer, MESSAGE_HELLO, &answer);
}

/* The lists are the answer's own, all else is lent to it. */
static void forget_lists(struct leased *leased)
{
	struct leased lists = {.kept = leased->kept,
			       .kept_count = leased->kept_count,
			       .left = leased->left,
			       .left_count = leased->left_count};

	record_release(message_types[MESSAGE_LEASED].table, &lists);
}

/* Why nobody else can have the agent now; where the kernel holds it back, on which target. */
static char *describe_holder(struct session *s)
{
	const char *target = NULL;
	uint64_t since_ns = 0;
	bool is_ending = s->state == AGENT_STATE_RELEASING;

	if (is_ending && s->run && phase_run_state(s->run) == PHASE_RUN_PREPARING) {
		target = phase_run_preparing(s->run);
		return mem_format("the agent was held by %s since %s and is to be free, but the "
				  "system has not come back from opening or preparing %s%s%s: it "
				  "is free as soon as that ends; look at that device, or restart "
				  "the agent",
				  s->holder, s->since, target ? "target '" : "a target",
				  target ? target : "", target ? "'" : "");
	}
	if (is_ending && s->run && phase_run_stuck(s->run, clock_now_ns(), &target, &since_ns))
		return mem_format("the agent was held by %s since %s and is to be free, but I/O on "
				  "target '%s' has been outstanding for %llu s: it is free as soon "
				  "as that ends",
				  s->holder, s->since, target,
				  (unsigned long long)(since_ns / NS_PER_S));
	return mem_format("the agent is held by %s since %s (state %s%s%s)", s->holder, s->since,
			  is_ending ? "releasing: it removes what it made"
				    : agent_state_name(s->state),
			  s->stuck ? "; " : "", s->stuck ? s->stuck : "");
}

/* Why nobody may have the agent for a run of that name; NULL: he may. */
static char *describe_bad_run(struct session *s, const struct lease *lease)
{
	char digest[RUN_ID_OWNER_SIZE];

	if (!run_id_is_name(lease->run))
		return mem_text("the run's id is no plain name: 1 to 63 letters, digits, '.', '_' "
				"and '-', no '.' first");
	if (!run_id_is_owner(lease->owner))
		return mem_text("the run's secret is not 64 digits of 0-9 and a-f");
	run_id_digest(lease->owner, digest);
	char *holder = s->setup->recorder
			       ? recorder_other_owner(s->setup->recorder, lease->run, digest)
			       : NULL;
	if (!holder)
		return NULL;
	char *why = mem_format("the agent keeps results of run %s for %s, and this controller does "
			       "not have that run's secret: collect them from the run's own "
			       "directory, whose journal.bin has it, or with the key that the "
			       "run's controller had, which makes it again",
			       lease->run, holder);
	free(holder);
	return why;
}

static void on_lease(struct session *s, const struct channel_peer *peer,
		     const struct envelope *envelope, const struct lease *lease)
{
	bool again = s->state != AGENT_STATE_FREE && strcmp(envelope->lease, s->lease) == 0;

	if (!again && s->state != AGENT_STATE_FREE) {
		refuse(s, peer, describe_holder(s));
		return;
	}
	if (!again) {
		unsigned char key[CLOCK_KEY_SIZE];
		if (strlen(envelope->lease) != CODEC_LEASE_SIZE - 1 ||
		    !read_key(lease->clock_key, key)) {
			refuse(s, peer, mem_text("the lease lacks its token or the clock's key"));
			return;
		}
		char *why = describe_bad_run(s, lease);
		if (why) {
			refuse(s, peer, why);
			return;
		}
		if (s->setup->responder)
			clock_responder_set(s->setup->responder, lease->clock_session, key);
		session_go(s, AGENT_EVENT_LEASE);
		memcpy(s->lease, envelope->lease, sizeof(s->lease));
		s->holder = mem_text(lease->holder);
		s->host = mem_text(lease->host);
		s->dead_after_ns = lease->dead_after_ns;
		s->leased_ns = clock_now_ns();
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
			      .container = s->facts.container,
			      .memory_limit_bytes = s->facts.limits.memory_bytes,
			      .cpu_limit_thousandths = s->facts.limits.cpu_thousandths,
			      .io_limit = s->facts.limits.io,
			      .insecure = s->setup->insecure};
	if (!again)
		session_note_lease(s, lease, &body);
	/* In a phase, and while files are removed, other threads have the lists. */
	if (s->state == AGENT_STATE_LEASED)
		session_list_kept(s, &body);
	session_send(s, MESSAGE_LEASED, &body);
	forget_lists(&body);
}

/* Where a message stands to the phase and attempt that the agent is at or has had last: before it
 * (negative), in it (0), or behind it. */
static int place_of(const struct session *s, const struct envelope *envelope)
{
	if (envelope->phase != s->phase)
		return envelope->phase < s->phase ? -1 : 1;
	return (envelope->attempt > s->attempt) - (envelope->attempt < s->attempt);
}

/* The controller is further: the abort of the phase that waits here is lost. */
static void leave_barrier(struct session *s)
{
	if (s->state == AGENT_STATE_READY && session_go(s, AGENT_EVENT_ABORT))
		session_end_phase(s);
}

static void enter_phase(struct session *s, const struct envelope *envelope)
{
	s->phase = envelope->phase;
	s->attempt = envelope->attempt;
	s->done_queued = false;
	s->amended = (struct amended){0};
	record_release(&failed_table, &s->failed);
	s->progress_ns = s->harvested_ns = clock_now_ns();
	outbox_release(&s->outbox);
	s->preface.size = 0;
}

/* The answer may be lost; while it still prepares there is none. */
static void answer_again(struct session *s)
{
	if (s->state == AGENT_STATE_READY)
		session_tell_ready(s);
	else if (s->state == AGENT_STATE_LEASED && s->failed.text)
		session_send(s, MESSAGE_FAILED, &s->failed);
}

/* Whoever may lease the agent knows the names of other runs, and of what they left in the spool. */
static char *describe_bad_prepare(struct session *s, const struct prepare *prepare)
{
	char *why = NULL;

	if (strcmp(prepare->run, s->run_id) != 0)
		return mem_format("the phase is of run '%.63s', and the agent is leased for run "
				  "'%s': it takes phases of that run alone",
				  prepare->run, s->run_id);
	session_has_room(s, prepare, &why);
	return why;
}

static void prepare_phase(struct session *s, const struct envelope *envelope,
			  const struct prepare *prepare)
{
	leave_barrier(s);
	if (!session_go(s, AGENT_EVENT_PREPARE))
		return;
	enter_phase(s, envelope);
	char *why = describe_bad_prepare(s, prepare);
	if (why) {
		const struct failed failed = {.kind = FAILED_REFUSED, .text = why};
		session_fail(s, &failed);
		session_go(s, AGENT_EVENT_FAILED);
		free(why);
		return;
	}
	session_note(s, MESSAGE_PREPARE, prepare);
	s->run = phase_run_new(prepare, s->host, s->setup->config, s->setup->files, s->written);
}

static void on_prepare(struct session *s, const struct envelope *envelope,
		       const struct prepare *prepare)
{
	int place = place_of(s, envelope);

	if (place > 0)
		prepare_phase(s, envelope, prepare);
	else if (place == 0)
		answer_again(s);
}

/* What runs already was started by this one, which came twice. */
static void on_start(struct session *s, const struct start *start)
{
	uint64_t now = clock_now_ns();

	if (s->state != AGENT_STATE_READY)
		return;
	if (start->at_ns <= now) {
		struct late late = {.at_ns = start->at_ns, .now_ns = now};
		session_send(s, MESSAGE_LATE, &late);
		return;
	}
	if (session_go(s, AGENT_EVENT_START)) {
		s->longest_gap_ns = s->gap_from_ns = 0;
		session_record_begin(s, start);
		phase_run_start(s->run, start);
	}
}

/* Each holds once: of one that comes again only the answer was lost. */
static void on_amend(struct session *s, const struct amend *amend)
{
	if (s->state != AGENT_STATE_RUNNING || amend->number < s->amended.number)
		return;
	if (amend->number > s->amended.number) {
		s->amended = (struct amended){.number = amend->number,
					      .taken = phase_run_amend(s->run, amend)};
		if (s->amended.taken)
			session_record(s, MESSAGE_AMEND, amend);
	}
	session_send(s, MESSAGE_AMENDED, &s->amended);
}

/* The next phase may be asked for right behind the last acknowledgement: finished at once. */
static void on_ack(struct session *s, const struct ack *ack)
{
	outbox_acknowledge(&s->outbox, ack->sequence);
	if (s->state == AGENT_STATE_RUNNING && s->done_queued && outbox_is_empty(&s->outbox) &&
	    session_go(s, AGENT_EVENT_FINISHED))
		session_end_phase(s);
}

/* Stopped at the barrier it answers only who asks again: a controller that has heard `ready` does
 * not wait for an answer. */
static void abort_phase(struct session *s, const struct failed *stopped)
{
	enum agent_state before = s->state;

	if (!session_go(s, AGENT_EVENT_ABORT))
		return;
	if (before == AGENT_STATE_LEASED) {
		answer_again(s);
	} else if (before == AGENT_STATE_READY) {
		session_keep_failure(s, stopped);
		session_end_phase(s);
	} else {
		phase_run_stop(s->run, DONE_ABORTED, stopped->text);
	}
}

/* Of a phase that it has not heard of yet: should that still come, it is over. */
static void on_abort(struct session *s, const struct envelope *envelope,
		     const struct abort_load *body)
{
	const struct failed stopped = {.kind = FAILED_BROKEN, .text = body->reason};
	int place = place_of(s, envelope);

	if (place > 0) {
		leave_barrier(s);
		if (s->state != AGENT_STATE_LEASED)
			return;
		enter_phase(s, envelope);
		session_fail(s, &stopped);
	} else if (place == 0) {
		abort_phase(s, &stopped);
	}
}

static void on_release(struct session *s, const struct release *body)
{
	leave_barrier(s);
	if (!session_go(s, AGENT_EVENT_RELEASE))
		return;
	s->keep = body->keep;
	session_forget_phases(s, body->kept_phase);
}

static void on_heartbeat(struct session *s, bool of_phase, const struct heartbeat *beat)
{
	if (beat->now_ns > s->controller_ns)
		s->controller_ns = beat->now_ns;
	if (of_phase && beat->agent_ns)
		session_record(s, MESSAGE_HEARTBEAT, beat);
}

static void on_probe(struct session *s, const struct channel_peer *peer, const struct probe *probe,
		     uint64_t received_ns)
{
	struct probed body = {.t1_ns = probe->t1_ns, .t2_ns = received_ns};

	body.t3_ns = clock_now_ns();
	session_send_to(s, peer, MESSAGE_PROBED, &body);
}

/* The lease before asks once more: the answer may be lost. */
static void on_message_of_another(struct session *s, const struct channel_peer *peer,
				  const struct envelope *envelope)
{
	if (envelope->kind == MESSAGE_RELEASE && s->released_lease[0] &&
	    strcmp(envelope->lease, s->released_lease) == 0)
		session_tell_released(s, peer);
	else
		log_debug("%s of another lease: ignored", message_types[envelope->kind].name);
}

/* Only what belongs to the lease and, within a phase, to that phase and attempt. */
static void on_leased_message(struct session *s, const struct channel_peer *peer,
			      const struct message *message, uint64_t now)
{
	const struct envelope *envelope = &message->envelope;

	if (s->state == AGENT_STATE_FREE || strcmp(envelope->lease, s->lease) != 0) {
		on_message_of_another(s, peer, envelope);
		return;
	}
	s->heard_ns = now;
	s->controller = *peer;
	bool of_phase = place_of(s, envelope) == 0;
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
		on_abort(s, envelope, message->body);
		break;
	case MESSAGE_RELEASE:
		on_release(s, message->body);
		break;
	case MESSAGE_FETCH:
		session_fetch(s, message->body);
		break;
	case MESSAGE_FORGET:
		session_forget_run(s, ((struct forget *)message->body)->run);
		break;
	case MESSAGE_PROBE:
		on_probe(s, peer, message->body, now);
		break;
	case MESSAGE_HEARTBEAT:
		on_heartbeat(s, of_phase, message->body);
		break;
	default:
		break; /* to have been heard is all */
	}
}

/* Not for longer than a tick, however much comes: one peer must not keep the load and the others
 * waiting. */
void session_receive(struct session *s)
{
	uint64_t end = clock_now_ns() + SESSION_TICK_MS * NS_PER_MS;
	struct channel_peer peer;
	struct bytes frame;
	struct message message;
	struct error err;
	int timeout = SESSION_TICK_MS;

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
