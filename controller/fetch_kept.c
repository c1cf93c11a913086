#include "controller/fetch_kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "controller/fetch_chunk.h"
#include "controller/fetch_turns.h"

#define SERIES_MOST 65536 /* buckets of one record of the journal */

/* One host's way through what it keeps. */
struct fetching {
	const struct kept_run *kept; /* NULL: nothing of this run */
	uint32_t at;                 /* of its phases */
	uint64_t offset;
	bool is_through;
	bool wants_lease; /* what the run's directory begins with comes first */
	struct fetch_chunk chunk;
	struct journal_phase *phase;    /* under way; NULL: none */
	struct journal_phase part;      /* what has come of it: this host's answer and series */
	struct journal_answer *answer;  /* in `part` */
	struct disruptions disruptions; /* of `part` */
};

struct fetcher {
	struct fleet *fleet;
	struct journal_content *content;
	struct fetched_hosts *fetched;
	struct fetching *hosts;
	struct fetch_turns turns;
	const struct fetch_watcher *watcher; /* NULL: none */
};

/* What is asked for, or will be next. */
static const struct kept_phase *part_of(const struct fetching *fetching)
{
	static const struct kept_phase lease;

	return fetching->wants_lease ? &lease : &fetching->kept->phases[fetching->at];
}

/* ---- what is wanted ---- */

static const struct kept_run *find_run(const struct leased *facts, const char *run)
{
	for (uint32_t i = 0; i < facts->kept_count; i++)
		if (strcmp(facts->kept[i].run, run) == 0)
			return &facts->kept[i];
	return NULL;
}

/* A phase whose end the controller has seen, on this host, is there already. */
static struct journal_phase *find_wanted(struct fetcher *f, uint32_t host,
					 const struct kept_phase *kept)
{
	struct journal_phase *phase = journal_find_phase(f->content, kept->number);
	const struct journal_answer *answer = phase ? journal_answer_of(phase, host) : NULL;

	if (!phase || phase->begun.attempt != kept->attempt || !phase->start_ns ||
	    (answer && answer->done && !answer->is_lost))
		return NULL;
	return phase;
}

/* Whether the journal has all that the host keeps, or something in its place. */
static bool has_all(const struct fetcher *f, const struct fetching *fetching)
{
	for (uint32_t p = 0; p < fetching->kept->phases_count; p++) {
		const struct kept_phase *kept = &fetching->kept->phases[p];
		const struct journal_phase *phase = journal_find_phase(f->content, kept->number);
		bool is_there = phase && phase->begun.attempt == kept->attempt && phase->start_ns;
		if (!is_there && !journal_has_passed(f->content, kept->number, kept->attempt))
			return false;
	}
	return true;
}

/* ---- taking ---- */

static void add_border(struct journal_answer *answer, uint32_t from, uint64_t at_ns,
		       int64_t drift_ppb)
{
	if (from == 0)
		answer->borders_count = 0; /* the start itself has moved */
	struct journal_border *border = RECORD_APPEND(answer->borders, answer->borders_count);
	*border = (struct journal_border){.from = from, .at_ns = at_ns, .drift_ppb = drift_ppb};
}

static void add_buckets(struct fetching *fetching, uint32_t host, const struct timeline *from)
{
	struct journal_phase *phase = &fetching->part;
	struct journal_series *last =
		phase->series_count ? &phase->series[phase->series_count - 1] : NULL;

	if (!last || last->buckets.buckets_count + from->buckets_count > SERIES_MOST) {
		last = RECORD_APPEND(phase->series, phase->series_count);
		last->number = phase->begun.number;
		last->host = host;
	}
	struct timeline *into = &last->buckets;
	/* At once: a message has thousands. */
	into->buckets = mem_resize(into->buckets, into->buckets_count + from->buckets_count,
				   sizeof(*into->buckets));
	for (uint32_t i = 0; i < from->buckets_count; i++)
		into->buckets[into->buckets_count++] = from->buckets[i];
}

static void *move_body(struct message *message)
{
	void *body = message->body;

	message->body = NULL;
	return body;
}

static void show(struct fetcher *f, uint32_t host, const struct message *message)
{
	if (f->watcher)
		f->watcher->on_frame(f->watcher->context, host, f->hosts[host].phase, message);
}

static void take_frame(struct fetching *fetching, uint32_t host, struct message *message)
{
	struct journal_answer *answer = fetching->answer;
	const struct start *start = message->body;
	const struct amend *amend = message->body;

	switch (message->envelope.kind) {
	case MESSAGE_READY:
		if (!answer->ready)
			answer->ready = move_body(message);
		break;
	case MESSAGE_START:
		answer->is_started = true;
		add_border(answer, 0, start->at_ns, start->drift_ppb);
		break;
	case MESSAGE_AMEND:
		if (answer->borders_count)
			add_border(answer, amend->bucket, amend->at_ns, amend->drift_ppb);
		break;
	case MESSAGE_DISRUPTION:
		disruptions_add(&fetching->disruptions, message->body);
		break;
	case MESSAGE_TIMELINE:
		add_buckets(fetching, host, message->body);
		break;
	case MESSAGE_DONE:
		if (!answer->done)
			answer->done = move_body(message);
		break;
	default:
		break; /* prepare: what was asked is in the plan */
	}
}

static void begin_part(struct fetcher *f, uint32_t host)
{
	struct fetching *fetching = &f->hosts[host];
	const struct journal_answer *old = journal_answer_of(fetching->phase, host);

	fetching->part.begun = fetching->phase->begun;
	fetching->answer = journal_answer_anew(&fetching->part, host);
	fetching->answer->silence_ns = old ? old->silence_ns : 0;
	fetching->answer->lost_ns = old ? old->lost_ns : 0;
}

static uint64_t operations_of(const struct journal_phase *phase, uint32_t host)
{
	uint64_t operations = 0;

	for (uint32_t i = 0; i < phase->series_count; i++) {
		const struct timeline *buckets = &phase->series[i].buckets;
		for (uint32_t b = 0; phase->series[i].host == host && b < buckets->buckets_count;
		     b++)
			operations += buckets->buckets[b].operations;
	}
	return operations;
}

/* Why the host is without an end in the phase; `broken_off` as below. */
static char *why_without_end(const char *broken_off)
{
	if (broken_off)
		return mem_format("only the beginning of its part has been collected yet: %s",
				  broken_off);
	return mem_text("its agent ended in mid-phase; what it had measured until then was in its "
			"spool");
}

static const char *extent_of(const struct journal_answer *answer, const char *broken_off)
{
	if (answer->done)
		return "all of its part";
	return broken_off ? "the beginning of its part" : "its part until its agent ended";
}

static void describe_part(const struct fetching *fetching, const char *before,
			  const char *broken_off)
{
	struct journal_answer *answer = fetching->answer;
	char now[CLOCK_TEXT_SIZE];

	if (!answer->done) {
		answer->is_lost = true;
		answer->why = why_without_end(broken_off);
		if (!answer->lost_ns)
			answer->lost_ns = fetching->phase->start_ns;
	}
	clock_wall_text(now);
	answer->collected =
		mem_format("%s came out of its spool at %s%s%s", extent_of(answer, broken_off), now,
			   before ? "; before, it was lost: " : "", before ? before : "");
}

/* The spool has them from the phase's beginning on, the journal those since the phase before. */
static void tell_disruptions(struct fetching *fetching, const struct journal_answer *old)
{
	struct disruptions *told = &fetching->disruptions;

	if (old)
		disruptions_add_before(told, old->disruptions, old->disruptions_count,
				       old->disruptions_dropped);
	fetching->answer->disruptions = told->list;
	fetching->answer->disruptions_count = told->count;
	fetching->answer->disruptions_dropped = told->dropped;
	*told = (struct disruptions){0};
}

/* The host's part from its spool takes the place of what had come of it. */
static void put_in_place(struct fetching *fetching, uint32_t host, const char *broken_off)
{
	struct journal_phase *phase = fetching->phase, *part = &fetching->part;
	const struct journal_answer *old = journal_answer_of(phase, host);

	describe_part(fetching, old ? old->why : NULL, broken_off);
	tell_disruptions(fetching, old);
	*journal_answer_anew(phase, host) = *fetching->answer;
	for (uint32_t i = 0; i < part->series_count; i++) {
		struct journal_series *series = RECORD_APPEND(phase->series, phase->series_count);
		*series = part->series[i];
	}
	free(part->answers);
	free(part->series);
	*part = (struct journal_phase){0};
}

/* What stays in the spool, for who can make something of it. Takes the text. */
static void note_failure(struct fetcher *f, uint32_t host, char *why)
{
	if (f->fetched->failed[host])
		free(why);
	else
		f->fetched->failed[host] = why;
}

/* A file that was not synced can have less than the controller heard. `broken_off`: why no more
 * of the file came, which may have an end; NULL: that was all of it. */
static void end_part(struct fetcher *f, uint32_t host, const char *broken_off)
{
	struct fetching *fetching = &f->hosts[host];
	const struct journal_answer *old = journal_answer_of(fetching->phase, host);
	uint64_t had = operations_of(fetching->phase, host);
	uint64_t has = operations_of(&fetching->part, host);

	if (fetching->answer->done || !old || has >= had) {
		put_in_place(fetching, host, broken_off);
	} else {
		note_failure(f, host,
			     mem_format("its spool gave out %" PRIu64
					" operations of phase %" PRIu32 ", and %" PRIu64
					" had come in the run: those stand, and it keeps its part",
					has, fetching->phase->begun.number, had));
		journal_phase_release(&fetching->part);
		disruptions_release(&fetching->disruptions);
	}
	fetching->answer = NULL;
	fetching->phase = NULL;
}

/* ---- asking ---- */

static struct fetch asked_of(const struct fetching *fetching)
{
	const struct kept_phase *kept = part_of(fetching);

	return (struct fetch){.run = fetching->kept->run,
			      .phase = kept->number,
			      .attempt = kept->attempt,
			      .offset = fetching->offset};
}

static void ask(struct fetcher *f, uint32_t host)
{
	const struct fetch fetch = asked_of(&f->hosts[host]);

	fetch_turns_ask(&f->turns, host, clock_now_ns());
	fleet_send(f->fleet, &f->fleet->hosts[host], MESSAGE_FETCH, &fetch);
}

static void next_phase(struct fetching *fetching)
{
	fetching->at++;
	fetching->offset = 0;
}

static void fail(struct fetcher *f, uint32_t host, const char *why)
{
	struct fetching *fetching = &f->hosts[host];

	note_failure(f, host, mem_text(why));
	fetching->is_through = true;
	fetch_turns_end(&f->turns, host);
	if (fetching->answer) /* what came stands */
		end_part(f, host, why);
}

static void on_fetched(struct fetcher *f, uint32_t host, const struct fetched *fetched)
{
	struct fetching *fetching = &f->hosts[host];

	if (fetched->error || (fetched->next <= fetched->offset && !fetched->is_end)) {
		fail(f, host, fetched->error ? fetched->error : "it sends nothing of it");
		return;
	}
	if (!fetching->answer && !fetching->wants_lease)
		begin_part(f, host);
	for (uint32_t i = 0; i < fetching->chunk.count; i++) {
		show(f, host, &fetching->chunk.frames[i]);
		if (!fetching->wants_lease)
			take_frame(fetching, host, &fetching->chunk.frames[i]);
	}
	fetch_chunk_release(&fetching->chunk);
	fetching->offset = fetched->next;
	fetch_turns_end(&f->turns, host);
	if (!fetched->is_end)
		return;
	if (fetching->wants_lease) {
		fetching->wants_lease = false;
		fetching->offset = 0;
		return;
	}
	if (fetched->torn_bytes)
		note_failure(f, host,
			     mem_format("the last %" PRIu64 " bytes that its spool has of phase "
					"%" PRIu32 " are damaged, and it keeps them",
					fetched->torn_bytes, fetched->phase));
	end_part(f, host, NULL);
	next_phase(fetching);
}

/* fleet.on_kept */
static void on_kept(void *context, uint32_t host, struct message *message)
{
	struct fetcher *f = context;
	struct fetching *fetching = &f->hosts[host];

	if (!fetching->kept || fetching->is_through)
		return;
	bool is_asked = f->turns.hosts[host].is_asked;
	const struct fetch asked = asked_of(fetching);
	fetch_turns_hear(&f->turns, host, clock_now_ns());
	if (message->envelope.kind == MESSAGE_FETCHED) {
		if (fetch_chunk_end(&fetching->chunk, is_asked ? &asked : NULL, message->body))
			on_fetched(f, host, message->body);
		return;
	}
	if (is_asked && message->envelope.phase == asked.phase &&
	    message->envelope.attempt == asked.attempt)
		fetch_chunk_add(&fetching->chunk, message);
}

/* ---- all of them ---- */

/* What is to be done about a host that has something to give; false: it is given up. */
static bool take_turn(struct fetcher *f, uint32_t host)
{
	switch (fetch_turns_next(&f->turns, host, clock_now_ns())) {
	case FETCH_TURN_ASK:
		ask(f, host);
		return true;
	case FETCH_TURN_SILENT:
		fail(f, host, "it sent nothing for 60 s");
		return false;
	case FETCH_TURN_SLOW:
		fail(f, host, "what it was asked for had not come in 10 min");
		return false;
	default:
		return true;
	}
}

/* False when the host is through. */
static bool go_on(struct fetcher *f, uint32_t host)
{
	struct fetching *fetching = &f->hosts[host];

	if (!fetching->kept || fetching->is_through)
		return false;
	if (f->fleet->hosts[host].status != FLEET_STATUS_LEASED) {
		fail(f, host, f->fleet->hosts[host].why);
		return false;
	}
	while (!fetching->wants_lease && !fetching->phase &&
	       fetching->at < fetching->kept->phases_count) {
		fetching->phase = find_wanted(f, host, &fetching->kept->phases[fetching->at]);
		if (!fetching->phase)
			next_phase(fetching);
	}
	if (fetching->wants_lease || fetching->phase)
		return take_turn(f, host);
	if (!has_all(f, fetching)) {
		fail(f, host, "its spool has phases that the journal does not know");
		return false;
	}
	fetching->is_through = true;
	f->fetched->is_forgettable[host] = !f->fetched->failed[host];
	return false;
}

/* Whether there may be more of the host's part than the journal has. */
static bool is_missed(const struct journal_content *content, uint32_t host)
{
	for (uint32_t p = 0; p < content->phases_count; p++) {
		const struct journal_phase *phase = &content->phases[p];
		const struct journal_answer *answer = journal_answer_of(phase, host);
		if (phase->start_ns && !(answer && answer->done && !answer->is_lost))
			return true;
	}
	return false;
}

static void begin(struct fetcher *f)
{
	struct fleet *fleet = f->fleet;

	for (uint32_t h = 0; h < fleet->count; h++) {
		struct fleet_host *host = &fleet->hosts[h];
		if (host->status == FLEET_STATUS_LEASED) {
			f->hosts[h].kept = find_run(&host->facts, f->content->heads[0].run);
			f->hosts[h].wants_lease = f->watcher && f->watcher->is_all;
			if (f->hosts[h].wants_lease && !f->hosts[h].kept)
				f->fetched->failed[h] =
					mem_text("its spool has nothing of the run");
		} else if (!is_missed(f->content, h))
			continue;
		else if (host->why)
			f->fetched->failed[h] = mem_text(host->why);
		else
			f->fetched->failed[h] = mem_text("it does not answer");
	}
}

void fetch_kept(struct fetched_hosts *fetched, struct fleet *fleet, struct journal_content *content,
		const struct fetch_watcher *watcher, const volatile int *interrupted)
{
	struct fetcher f = {.fleet = fleet,
			    .content = content,
			    .fetched = fetched,
			    .watcher = watcher,
			    .hosts = mem_new(fleet->count, sizeof(*f.hosts))};
	bool left = true;

	*fetched = (struct fetched_hosts){
		.is_forgettable = mem_new(fleet->count, sizeof(*fetched->is_forgettable)),
		.failed = mem_new(fleet->count, sizeof(*fetched->failed))};
	fetch_turns_init(&f.turns, fleet->count);
	begin(&f);
	fleet->on_kept = on_kept;
	fleet->kept_context = &f;
	while (left && !*interrupted) {
		left = false;
		for (uint32_t h = 0; h < fleet->count; h++)
			left |= go_on(&f, h);
		if (left)
			fleet_pump(fleet, 5);
	}
	for (uint32_t h = 0; h < fleet->count; h++) {
		if (f.hosts[h].kept && !f.hosts[h].is_through)
			fail(&f, h, "interrupted");
		fetch_chunk_release(&f.hosts[h].chunk);
	}
	fleet->on_kept = NULL;
	fetch_turns_release(&f.turns);
	free(f.hosts);
}

void fetched_hosts_release(struct fetched_hosts *hosts, uint32_t count)
{
	for (uint32_t h = 0; hosts->failed && h < count; h++)
		free(hosts->failed[h]);
	free(hosts->is_forgettable);
	free(hosts->failed);
	*hosts = (struct fetched_hosts){0};
}

void fetch_kept_forget(const struct fetched_hosts *fetched, struct fleet *fleet, const char *run)
{
	const struct forget forget = {.run = (char *)run};

	for (uint32_t h = 0; h < fleet->count; h++)
		if (fetched->is_forgettable[h] && fleet->hosts[h].status == FLEET_STATUS_LEASED)
			fleet_send(fleet, &fleet->hosts[h], MESSAGE_FORGET, &forget);
}
