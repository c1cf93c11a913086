/* session_record.c - what the session keeps in the spool of a phase, and gives out of it again. */
#include "agent/session_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/spool_need.h"
#include "common/framed.h"
#include "common/memory.h"
#include "common/units.h"

#define LEFT_MOST 1000 /* files named in one answer */

static struct bytes pack(const struct session *s, enum message_kind kind, const void *body)
{
	struct envelope envelope = {.kind = kind, .phase = s->phase, .attempt = s->attempt};
	struct bytes frame = {0};

	memcpy(envelope.lease, s->lease, sizeof(envelope.lease));
	codec_pack(&envelope, body, &frame);
	return frame;
}

static void put(struct session *s, struct bytes *into, enum message_kind kind, const void *body)
{
	struct bytes frame = pack(s, kind, body);

	framed_append(into, frame.data, frame.size);
	free(frame.data);
}

/* ---- of a lease ---- */

void session_note_lease(struct session *s, const struct lease *lease, const struct leased *leased)
{
	/* The key is of no use to anybody later, and no secret belongs on the disk. */
	struct lease open = *lease;
	struct leased alone = *leased;

	run_id_digest(lease->owner, s->run_owner);
	open.owner = s->run_owner;

	open.clock_key = "";
	open.clock_session = 0;
	alone.kept_count = alone.left_count = 0;
	s->lease_records.size = 0;
	put(s, &s->lease_records, MESSAGE_LEASE, &open);
	put(s, &s->lease_records, MESSAGE_LEASED, &alone);
	free(s->run_id);
	s->run_id = mem_text(lease->run);
}

static void add_left(void *context, const char *path)
{
	struct leased *leased = context;

	if (leased->left_count >= LEFT_MOST) {
		leased->left_more++;
		return;
	}
	struct name *left = RECORD_APPEND(leased->left, leased->left_count);
	left->name = mem_text(path);
}

void session_list_kept(struct session *s, struct leased *leased)
{
	if (s->setup->recorder)
		recorder_list(s->setup->recorder, s->run_id, leased);
	made_files_each_left(s->setup->files, add_left, leased);
}

/* ---- of a phase ---- */

static bool fits(const struct session *s, const struct recorder_use *use)
{
	uint64_t limit = s->setup->config->spool_limit;

	return use->phases < RECORDER_PHASES_MOST && use->bytes <= limit &&
	       s->spool_need <= limit - use->bytes;
}

static char *describe_lack(const struct session *s, const struct recorder_use *use)
{
	char need[UNITS_TEXT_SIZE], used[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];

	if (use->phases >= RECORDER_PHASES_MOST)
		return mem_format("the spool keeps %u phases of this run, which no controller has "
				  "said to have on its own disk: more cannot be given out again; "
				  "end the run and collect it",
				  use->phases);
	return mem_format(
		"the results of this phase may take %s of the spool, and of the %s of spool_limit "
		"in agent.yaml %s hold results that nobody has collected: collect those (`muster "
		"fleet` lists them), raise spool_limit, or use longer buckets",
		units_format_bytes(need, s->spool_need),
		units_format_bytes(limit, s->setup->config->spool_limit),
		units_format_bytes(used, use->bytes));
}

bool session_has_room(struct session *s, const struct prepare *prepare, char **why)
{
	s->spool_need = 0;
	if (!s->setup->recorder)
		return true;
	struct recorder_use use = recorder_used(s->setup->recorder, s->run_id, prepare->kept_phase);
	s->spool_need = spool_need(prepare);
	if (fits(s, &use))
		return true;
	/* What the controller has on its disk stays until the room is wanted, or the run is over: a
	 * disk can be lost with all that is on it. */
	session_forget_phases(s, prepare->kept_phase);
	use.bytes -= use.spare_bytes;
	use.phases -= use.spare_phases;
	if (fits(s, &use))
		return true;
	*why = describe_lack(s, &use);
	return false;
}

void session_note(struct session *s, enum message_kind kind, const void *body)
{
	put(s, &s->preface, kind, body);
}

static void add_preface(struct session *s)
{
	struct framed framed = {.data = s->preface.data, .size = s->preface.size};
	const unsigned char *record;
	size_t size;

	while (framed_next(&framed, &record, &size)) {
		const struct bytes frame = {.data = (unsigned char *)record, .size = size};
		recorder_add(s->setup->recorder, &frame);
	}
}

void session_record_begin(struct session *s, const struct start *start)
{
	if (!s->setup->recorder)
		return;
	recorder_begin(s->setup->recorder, s->run_id, s->run_owner, &s->lease_records, s->phase,
		       s->attempt);
	s->recording = true;
	add_preface(s);
	session_record(s, MESSAGE_START, start);
}

void session_record(struct session *s, enum message_kind kind, const void *body)
{
	if (!s->recording)
		return;
	struct bytes frame = pack(s, kind, body);
	recorder_add(s->setup->recorder, &frame);
	free(frame.data);
}

void session_record_end(struct session *s)
{
	if (s->recording)
		recorder_end(s->setup->recorder);
	s->recording = false;
}

void session_forget_run(struct session *s, const char *run)
{
	if (!s->setup->recorder)
		return;
	if (strcmp(run, s->run_id) == 0)
		recorder_forget(s->setup->recorder, run, s->run_owner, UINT32_MAX);
	else
		log_warning("%s asked to forget run %.63s, and its lease is of run %s: kept",
			    s->holder, run, s->run_id);
}

void session_forget_phases(struct session *s, uint32_t number)
{
	if (s->setup->recorder && s->run_id)
		recorder_forget(s->setup->recorder, s->run_id, s->run_owner, number);
}

/* ---- for who collects ---- */

void session_fetch(struct session *s, const struct fetch *fetch)
{
	if (s->state != AGENT_STATE_LEASED || !s->setup->recorder)
		return;
	if (strcmp(fetch->run, s->run_id) != 0) {
		const struct fetched none = {.run = fetch->run,
					     .phase = fetch->phase,
					     .attempt = fetch->attempt,
					     .offset = fetch->offset,
					     .next = fetch->offset,
					     .is_end = true,
					     .error = "the lease is of another run"};
		session_send(s, MESSAGE_FETCHED, &none);
		return;
	}
	record_release(message_types[MESSAGE_FETCH].table, &s->fetch);
	record_copy(message_types[MESSAGE_FETCH].table, &s->fetch, fetch);
	s->fetching = true;
	recorder_read(s->setup->recorder, fetch->run, s->run_owner, fetch->phase, fetch->attempt,
		      fetch->offset);
}

/* False when not all went: the asker misses `fetched`, and asks again. */
static bool send_frames(struct session *s, const struct bytes *bytes, uint32_t *sent)
{
	struct framed framed = {.data = bytes->data, .size = bytes->size};
	const unsigned char *record;
	size_t size;
	struct error err;

	while (framed_next(&framed, &record, &size)) {
		const struct bytes frame = {.data = (unsigned char *)record, .size = size};
		if (channel_send(s->setup->channel, &s->controller, &frame, &err) < 0)
			return false;
		++*sent;
	}
	return true;
}

void session_poll_fetch(struct session *s)
{
	struct kept_read read = {0};
	struct error err = {0};
	int state = s->fetching ? recorder_take(s->setup->recorder, &read, &err) : 0;

	if (!state)
		return;
	s->fetching = false;
	struct fetched fetched = {.run = s->fetch.run,
				  .phase = s->fetch.phase,
				  .attempt = s->fetch.attempt,
				  .offset = s->fetch.offset,
				  .next = read.next,
				  .is_end = read.is_end || state < 0,
				  .torn_bytes = read.torn,
				  .error = state < 0 ? err.text : NULL};
	if (send_frames(s, &read.bytes, &fetched.frames))
		session_send(s, MESSAGE_FETCHED, &fetched);
	free(read.bytes.data);
}

void session_release_records(struct session *s)
{
	record_release(message_types[MESSAGE_FETCH].table, &s->fetch);
	free(s->lease_records.data);
	free(s->preface.data);
	free(s->run_id);
	s->lease_records = s->preface = (struct bytes){0};
	s->run_id = NULL;
	s->fetching = false;
}
