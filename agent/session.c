#include "agent/session_inside.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/units.h"
#include "proto/phase_memory.h"

#define HARVEST_NS        PHASE_MEMORY_HARVEST
#define HEARTBEAT_NS      (NS_PER_S / 2) /* the shortest suspect_after is 1 s */
#define SEND_AGAIN_NS     (2 * NS_PER_S)
#define STOP_PATIENCE_NS  (30 * NS_PER_S)
#define SPOOL_PATIENCE_NS (10 * NS_PER_S)
#define IDLE_PEER_NS      (60 * NS_PER_S) /* the longest dead_after */

/* ---- sending ---- */

static void send_of(struct session *s, const char lease[CODEC_LEASE_SIZE],
		    const struct channel_peer *peer, enum message_kind kind, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = s->phase, .attempt = s->attempt};
	struct bytes frame = {0};
	struct error err;

	memcpy(envelope.lease, lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	if (channel_send(s->setup->channel, peer, &frame, &err) < 0)
		log_warning("%s not sent: %s", message_types[kind].name, err.text);
	free(frame.data);
}

void session_send_to(struct session *s, const struct channel_peer *peer, enum message_kind kind,
		     const void *body)
{
	send_of(s, s->lease, peer, kind, body);
}

void session_tell_released(struct session *s, const struct channel_peer *peer)
{
	send_of(s, s->released_lease, peer, MESSAGE_RELEASED, &s->released);
}

void session_send(struct session *s, enum message_kind kind, const void *body)
{
	if (!s->controller_left)
		session_send_to(s, &s->controller, kind, body);
}

/* ---- state ---- */

bool session_go(struct session *s, enum agent_event event)
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

void session_end_phase(struct session *s)
{
	phase_run_free(s->run);
	s->run = NULL;
	session_record_end(s);
	outbox_release(&s->outbox);
	free(s->stuck);
	s->stuck = NULL;
	s->stuck_since_ns = 0;
	s->opening = NULL;
}

void session_forget_lease(struct session *s)
{
	free(s->holder);
	free(s->host);
	s->holder = s->host = NULL;
	s->keep = false;
	memset(s->lease, 0, sizeof(s->lease));
	if (s->setup->responder)
		clock_responder_set(s->setup->responder, 0, NULL);
	s->phase = s->attempt = 0;
	s->controller_ns = 0;
	record_release(&failed_table, &s->failed);
	s->spooling_since_ns = 0;
	session_release_records(s);
}

/* ---- what time brings ---- */

/* Numbered, on its way to the spool, and kept until acknowledged. */
static void queue_message(struct session *s, enum message_kind kind, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = s->phase, .attempt = s->attempt};
	struct bytes frame = {0};

	memcpy(envelope.lease, s->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	if (s->recording)
		recorder_add(s->setup->recorder, &frame);
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

static void tell_disruptions(struct session *s)
{
	struct disruption disruption;

	while (s->setup->watch && disruption_watch_take(s->setup->watch, &disruption))
		if (s->state != AGENT_STATE_FREE) {
			session_record(s, MESSAGE_DISRUPTION, &disruption);
			session_send(s, MESSAGE_DISRUPTION, &disruption);
		}
}

static void stop_layout(struct session *s, const struct progress *progress)
{
	char limit[UNITS_TEXT_SIZE];
	char *why = mem_format("I/O is stuck: the lay-out of target '%s' made no progress for %s "
			       "(io_timeout), at %llu of %llu bytes",
			       progress->target,
			       units_format_ns(limit, (double)phase_run_io_timeout(s->run)),
			       (unsigned long long)progress->done_bytes,
			       (unsigned long long)progress->total_bytes);

	phase_run_stop(s->run, DONE_BROKEN, why);
	free(why);
}

static void tell_progress(struct session *s, uint64_t now)
{
	struct progress progress;
	uint64_t moved;

	if (!phase_run_progress(s->run, &progress, &moved))
		return;
	if (now > moved && now - moved > phase_run_io_timeout(s->run))
		stop_layout(s, &progress);
	if (now - s->progress_ns < NS_PER_S)
		return;
	s->progress_ns = now;
	session_send(s, MESSAGE_PROGRESS, &progress);
}

/* Lent by the run. */
static struct ready describe_ready(const struct session *s)
{
	struct ready ready = *phase_run_ready(s->run);

	ready.spool_bytes = s->spool_need;
	return ready;
}

void session_tell_ready(struct session *s)
{
	const struct ready ready = describe_ready(s);

	session_send(s, MESSAGE_READY, &ready);
}

static void become_ready(struct session *s)
{
	const struct ready ready = describe_ready(s);

	session_note(s, MESSAGE_READY, &ready);
	session_tell_ready(s);
}

void session_keep_failure(struct session *s, const struct failed *failed)
{
	record_release(&failed_table, &s->failed);
	record_copy(&failed_table, &s->failed, failed);
}

void session_fail(struct session *s, const struct failed *failed)
{
	session_keep_failure(s, failed);
	session_send(s, MESSAGE_FAILED, failed);
}

static void poll_preparing(struct session *s, uint64_t now)
{
	switch (phase_run_state(s->run)) {
	case PHASE_RUN_READY:
		if (session_go(s, AGENT_EVENT_READY))
			become_ready(s);
		break;
	case PHASE_RUN_FAILED:
		session_fail(s, phase_run_failure(s->run));
		session_go(s, AGENT_EVENT_FAILED);
		session_end_phase(s);
		break;
	default:
		tell_progress(s, now);
		session_watch_opening(s, now);
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
	session_send(s, MESSAGE_PROGRESS, &progress);
}

static void queue_done(struct session *s)
{
	struct done done = {0};

	harvest(s);
	phase_run_done(s->run, &done);
	done.sequence = s->outbox.sequence + 1;
	done.frozen_ns = s->longest_gap_ns;
	done.frozen_from_ns = s->gap_from_ns;
	queue_message(s, MESSAGE_DONE, &done);
	record_release(&done_table, &done);
	s->done_queued = true;
	session_record_end(s);
}

/* Nobody to work for any more: stop the load, remove what was made. */
static void expire(struct session *s, const char *why)
{
	if (!session_go(s, AGENT_EVENT_EXPIRED))
		return;
	log_warning("%s: stopping the load and freeing the lease of %s", why, s->holder);
	s->controller_left = true;
	channel_forget(s->setup->channel, &s->controller);
	if (s->run)
		phase_run_stop(s->run, DONE_ABORTED, why);
}

/* Somebody who hears and says nothing of it must not take the host's memory. */
static void watch_outbox(struct session *s)
{
	uint64_t most = s->setup->outbox_most ? s->setup->outbox_most : OUTBOX_BYTES_MOST;
	char why[128], text[UNITS_TEXT_SIZE];

	if (s->outbox.bytes <= most)
		return;
	snprintf(why, sizeof(why),
		 "the controller is alive, and has acknowledged none of %s of results",
		 units_format_bytes(text, s->outbox.bytes));
	expire(s, why);
}

static void poll_running(struct session *s, uint64_t now)
{
	if (!s->done_queued && phase_run_state(s->run) == PHASE_RUN_ENDED)
		queue_done(s);
	else if (!s->done_queued && now - s->harvested_ns >= HARVEST_NS) {
		s->harvested_ns = now;
		harvest(s);
		tell_moved(s, now);
		session_watch_stuck(s, now);
	}
	watch_outbox(s);
}

/* What is still under way when the controller is gone, or its release came early: the spool gets
 * all of it. */
static bool is_winding_down(struct session *s, uint64_t now)
{
	enum phase_run_state state = phase_run_state(s->run);
	bool runs = state == PHASE_RUN_PREPARING || state == PHASE_RUN_RUNNING;

	if (!s->recording || s->done_queued)
		return runs;
	if (!runs)
		queue_done(s);
	else if (now - s->harvested_ns >= HARVEST_NS) {
		s->harvested_ns = now;
		harvest(s);
	}
	outbox_release(&s->outbox);
	return runs;
}

/* Who asks next is told what is kept: all of it, unless the spool's disk hangs. */
static bool is_spooling(struct session *s, uint64_t now)
{
	if (!s->setup->recorder || recorder_is_idle(s->setup->recorder))
		return false;
	if (!s->spooling_since_ns)
		s->spooling_since_ns = now;
	return now - s->spooling_since_ns < SPOOL_PATIENCE_NS;
}

static void keep_released(struct session *s, const struct released *released)
{
	memcpy(s->released_lease, s->lease, sizeof(s->released_lease));
	record_release(&released_table, &s->released);
	record_copy(&released_table, &s->released, released);
}

/* A run that still winds down goes first, then the files, then the lease. */
static void poll_releasing(struct session *s)
{
	if (s->run) {
		if (is_winding_down(s, clock_now_ns()))
			return;
		session_end_phase(s);
	}
	if (!s->cleaner)
		s->cleaner = cleaner_new(s->setup->files, s->keep);
	if (!cleaner_is_done(s->cleaner) || is_spooling(s, clock_now_ns()))
		return;
	const struct released *released = cleaner_released(s->cleaner);
	for (uint32_t i = 0; i < released->left_count; i++)
		log_warning("not removed: %s", released->left[i].name);
	session_send(s, MESSAGE_RELEASED, released);
	keep_released(s, released);
	cleaner_free(s->cleaner);
	s->cleaner = NULL;
	written_free(s->written);
	s->written = written_new();
	session_go(s, AGENT_EVENT_RELEASED);
	log_info("released");
	session_forget_lease(s);
}

/* How long the session itself stood still. What waited on the socket meanwhile is heard now, and
 * old: for as long as dead_after nothing was sent, so the controller has given this host up. */
static void note_gap(struct session *s, uint64_t now)
{
	uint64_t gap = s->ticked_ns ? now - s->ticked_ns : 0;
	bool was_leased = s->state != AGENT_STATE_FREE && s->ticked_ns > s->leased_ns;

	if (gap > s->longest_gap_ns) {
		s->longest_gap_ns = gap;
		s->gap_from_ns = s->ticked_ns;
	}
	s->ticked_ns = now;
	if (was_leased && gap > s->dead_after_ns && s->state != AGENT_STATE_RELEASING)
		expire(s, "this agent stood still for longer than dead_after");
}

static void tick(struct session *s)
{
	uint64_t now = clock_now_ns();

	note_gap(s, now);
	session_watch_door(s, now);
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
	session_poll_fetch(s);
	send_outbox(s, now);
	if (now - s->beat_ns >= HEARTBEAT_NS) {
		struct heartbeat beat = {
			.now_ns = now, .state = (uint32_t)s->state, .heard_ns = s->controller_ns};
		s->beat_ns = now;
		session_send(s, MESSAGE_HEARTBEAT, &beat);
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

/* What an agent that was killed had made before this one, or could not be removed: nobody else
 * comes to a child's spool. While a file is left, so is the journal that knows it. */
static int clean_before(struct session *s, uint64_t end, struct error *err)
{
	s->cleaner = cleaner_new(s->setup->files, false);
	while (!cleaner_is_done(s->cleaner) && clock_now_ns() < end)
		clock_sleep(SESSION_TICK_MS * NS_PER_MS);
	if (!cleaner_is_done(s->cleaner)) {
		error_set(err, ERROR_BROKEN, "removing files hangs");
		return -1;
	}
	const struct released *released = cleaner_released(s->cleaner);
	uint32_t left = released->left_count;
	for (uint32_t i = 0; i < left; i++)
		error_set(err, ERROR_BROKEN, "not removed: %s", released->left[i].name);
	cleaner_free(s->cleaner);
	s->cleaner = NULL;
	return left ? -1 : 0;
}

/* Ends what is under way; bounded by STOP_PATIENCE_NS. */
static int wind_down(struct session *s, struct error *err)
{
	uint64_t end = clock_now_ns() + STOP_PATIENCE_NS;

	if (s->state != AGENT_STATE_FREE && s->state != AGENT_STATE_RELEASING)
		expire(s, "the agent is told to end");
	while (s->state == AGENT_STATE_RELEASING && clock_now_ns() < end) {
		clock_sleep(SESSION_TICK_MS * NS_PER_MS);
		poll_releasing(s);
	}
	if (s->state == AGENT_STATE_FREE)
		return s->setup->parent_fd < 0 ? 0 : clean_before(s, end, err);
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
		session_receive(s);
		tick(s);
	}
	int result = wind_down(s, err);
	if (result == 0) {
		written_free(s->written);
		session_forget_lease(s);
		record_release(&released_table, &s->released);
		free(s);
	}
	return result;
}
