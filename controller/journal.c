#include "controller/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/framed.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/units.h"
#include "common/writer.h"
#include "controller/clock_samples.h"

#define FOLLOW_NS    (2 * NS_PER_S)
#define SETTLE_NS    (10 * NS_PER_S)
#define SERIES_MOST  65536                /* buckets of one record */
#define WAITING_MOST (UINT64_C(64) << 20) /* bytes that the disk has not taken */

/* How much of a host's disruptions is in it. */
struct journal_told {
	uint32_t count;
	uint64_t dropped;
};

struct journal {
	struct writer *writer;
	bool is_broken;            /* told once; what is in it until then stands */
	uint64_t *exchanged_ns;    /* t1 of the latest exchange of each host that is in it */
	struct journal_told *told; /* of each host */
	uint64_t followed_ns;
	uint32_t ended; /* number of the newest phase that is in it to its end */
};

static int open_file(const char *path, const struct journal_locks *held)
{
	int how = held ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL;
	int fd = held ? journal_locks_share(held, path) : -1;

	return fd >= 0 ? fd : open(path, how | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* An open journal that is nobody else's, cut to what is whole of it; -1 with err. */
static int open_mine(const char *path, const struct journal_locks *held, uint64_t keep,
		     struct error *err)
{
	int fd = open_file(path, held);
	bool is_mine = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (is_mine && (!held || ftruncate(fd, (off_t)keep) == 0))
		return fd;
	if (!is_mine && fd >= 0 && errno == EWOULDBLOCK)
		error_set(err, ERROR_SETUP, "'%s' is in use: that run is under way", path);
	else
		error_set(err, ERROR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

struct journal *journal_open(const char *directory, const struct journal_locks *held, uint64_t keep,
			     struct error *err)
{
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	int fd = open_mine(path, held, keep, err);
	struct writer *writer = fd >= 0 ? writer_new(fd, err) : NULL;
	struct journal *journal = NULL;

	if (writer) {
		journal = mem_new(1, sizeof(*journal));
		journal->writer = writer;
	}
	free(path);
	return journal;
}

int journal_check_free(const char *directory, struct error *err)
{
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	struct journal_locks locks = {0};
	int failed = journal_locks_take(&locks, path, err);

	journal_locks_release(&locks);
	free(path);
	return failed;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	writer_free(journal->writer, SETTLE_NS);
	free(journal->exchanged_ns);
	free(journal->told);
	free(journal);
}

/* ---- writing ---- */

static void break_off(struct journal *journal, const char *why)
{
	journal->is_broken = true;
	log_warning("the run's journal cannot be written: %s; agents keep the results until they "
		    "are collected",
		    why);
}

/* Whether more can be added to it. */
static bool goes_on(struct journal *journal)
{
	if (!journal || journal->is_broken)
		return false;
	const struct writer_state state = writer_look(journal->writer);
	if (state.is_broken)
		break_off(journal, state.problem.text);
	else if (state.waiting > WAITING_MOST)
		break_off(journal, "its disk has taken nothing for so long that 64 MiB wait");
	return !journal->is_broken;
}

void journal_pack(struct bytes *into, enum journal_kind kind, const void *record)
{
	struct bytes content = {0};
	const unsigned char byte = (unsigned char)kind;

	bytes_append(&content, &byte, 1);
	record_pack(journal_table(kind), record, &content);
	framed_append(into, content.data, content.size);
	free(content.data);
}

void journal_add(struct journal *journal, enum journal_kind kind, const void *record)
{
	struct bytes bytes = {0};

	if (!goes_on(journal))
		return;
	journal_pack(&bytes, kind, record);
	writer_add(journal->writer, &bytes);
}

/* ---- clocks ---- */

void journal_pack_clock(struct bytes *into, const struct clock_record *record)
{
	struct bytes content = {0};
	const unsigned char byte = JOURNAL_CLOCK;

	bytes_append(&content, &byte, 1);
	clock_record_pack(record, &content);
	framed_append(into, content.data, content.size);
	free(content.data);
}

static bool take_exchanges(struct journal *journal, struct fleet *fleet,
			   struct clock_record *record)
{
	bool any = false;

	for (uint32_t i = 0; i < fleet->count; i++) {
		struct clock_record_host *host = RECORD_APPEND(record->hosts, record->count);
		host->host = mem_text(fleet->hosts[i].plan->name);
		host->samples = clock_exchange_copy(fleet->clocks, i, journal->exchanged_ns[i] + 1,
						    &host->count);
		/* The very latest may still be made tighter (clock_link.h): next time. */
		if (host->count)
			host->count--;
		if (host->count)
			journal->exchanged_ns[i] = host->samples[host->count - 1].t1;
		host->count =
			clock_samples_thin(host->samples, host->count, CLOCK_SAMPLES_SLICE_NS);
		any |= host->count > 0;
	}
	return any;
}

void journal_add_clocks(struct journal *journal, struct fleet *fleet)
{
	struct clock_record record = {0};

	if (!goes_on(journal) || !fleet->clocks)
		return;
	if (!journal->exchanged_ns)
		journal->exchanged_ns = mem_new(fleet->count, sizeof(*journal->exchanged_ns));
	journal->followed_ns = clock_now_ns();
	if (take_exchanges(journal, fleet, &record)) {
		struct bytes bytes = {0};
		journal_pack_clock(&bytes, &record);
		writer_add(journal->writer, &bytes);
	}
	clock_record_release(&record);
}

void journal_follow_clocks(struct journal *journal, struct fleet *fleet)
{
	if (journal && clock_now_ns() - journal->followed_ns >= FOLLOW_NS)
		journal_add_clocks(journal, fleet);
}

/* ---- a phase ---- */

static void put_on_disk(struct journal *journal)
{
	if (goes_on(journal))
		writer_sync(journal->writer, journal->ended);
}

void journal_begin_phase(struct journal *journal, const struct journal_begun *begun)
{
	journal_add(journal, JOURNAL_BEGUN, begun);
	put_on_disk(journal);
}

void journal_start_phase(struct journal *journal, const struct journal_started *started)
{
	journal_add(journal, JOURNAL_STARTED, started);
	put_on_disk(journal);
}

/* What is new of them; lent. */
static void add_disruptions(struct journal_answer *answer, const struct disruptions *disruptions,
			    struct journal_told *told)
{
	answer->disruptions_count = disruptions->count - told->count;
	if (answer->disruptions_count)
		answer->disruptions = disruptions->list + told->count;
	answer->disruptions_dropped = disruptions->dropped - told->dropped;
	told->count = disruptions->count;
	told->dropped = disruptions->dropped;
}

static void add_answer(struct journal *journal, const struct fleet_host *host, uint32_t number,
		       uint32_t index)
{
	struct journal_answer answer = {.number = number,
					.host = index,
					.is_lost = host->status == FLEET_STATUS_LOST,
					.is_started = host->is_started,
					.is_stopped = host->is_stopped,
					.why = host->why,
					.lost_ns = host->lost_ns,
					.silence_ns = host->silence_ns};

	add_disruptions(&answer, &host->disruptions, &journal->told[index]);
	/* All lent: packing changes nothing. */
	answer.ready = host->is_ready ? (struct ready *)&host->ready : NULL;
	answer.failed = host->is_failed ? (struct failed *)&host->failed : NULL;
	answer.done = host->is_done ? (struct done *)&host->done : NULL;
	for (uint32_t b = 0; b < host->borders_count; b++) {
		struct journal_border *border = RECORD_APPEND(answer.borders, answer.borders_count);
		*border = (struct journal_border){.from = (uint32_t)host->borders[b].from,
						  .at_ns = host->borders[b].at_ns,
						  .drift_ppb = host->borders[b].drift_ppb};
	}
	journal_add(journal, JOURNAL_ANSWER, &answer);
	free(answer.borders);
}

/* A long phase, or the answers of many hosts, is more than may wait: messages are moved while the
 * disk takes it. */
static void make_room(struct journal *journal, struct fleet *fleet)
{
	uint64_t end = clock_now_ns() + SETTLE_NS;

	fleet_pump(fleet, 0);
	while (goes_on(journal) && writer_look(journal->writer).waiting > WAITING_MOST / 2 &&
	       clock_now_ns() < end)
		fleet_pump(fleet, 5);
}

static void flush_series(struct journal *journal, struct fleet *fleet,
			 struct journal_series *record)
{
	if (record->buckets.buckets_count) {
		make_room(journal, fleet);
		journal_add(journal, JOURNAL_SERIES, record);
	}
	free(record->buckets.buckets);
	record->buckets = (struct timeline){0};
}

static void add_series(struct journal *journal, struct fleet *fleet, const struct series *series,
		       uint32_t target, struct journal_series *record)
{
	for (uint32_t k = 0; k < series->count; k++) {
		const struct series_bucket *from = &series->buckets[k];
		if (!from->operations && !from->errors && !from->worst_ns)
			continue;
		struct timeline_bucket *to =
			RECORD_APPEND(record->buckets.buckets, record->buckets.buckets_count);
		*to = (struct timeline_bucket){.target = target,
					       .bucket = k,
					       .bytes_read = from->bytes_read,
					       .bytes_written = from->bytes_written,
					       .operations = from->operations,
					       .errors = from->errors,
					       .worst_ns = from->worst_ns};
		if (record->buckets.buckets_count >= SERIES_MOST)
			flush_series(journal, fleet, record);
	}
}

void journal_end_phase(struct journal *journal, struct fleet *fleet, const struct collect *collect,
		       uint32_t number, uint32_t end)
{
	const struct result_phase *phase =
		&collect->result->phases[collect->result->phases_count - 1];
	const struct phase_series *series =
		&collect->series->phases[collect->result->phases_count - 1];
	const struct journal_ended ended = {.number = number, .end = end, .now_ns = clock_now_ns()};

	if (!journal)
		return;
	if (!journal->told)
		journal->told = mem_new(fleet->count, sizeof(*journal->told));
	journal_add_clocks(journal, fleet);
	for (uint32_t i = 0; i < fleet->count; i++) {
		uint32_t h = collect->phase_host[i];
		if (h == UINT32_MAX)
			continue;
		struct journal_series record = {.number = number, .host = i};
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
			add_series(journal, fleet, &series->series[h][t], t, &record);
		flush_series(journal, fleet, &record);
		make_room(journal, fleet);
		add_answer(journal, &fleet->hosts[i], number, i);
	}
	journal_add(journal, JOURNAL_ENDED, &ended);
	journal->ended = number;
	put_on_disk(journal);
}

uint32_t journal_kept(struct journal *journal)
{
	return journal ? writer_look(journal->writer).kept : 0;
}

void journal_settle(struct journal *journal, struct fleet *fleet)
{
	uint64_t end = clock_now_ns() + SETTLE_NS;

	while (journal && writer_look(journal->writer).is_busy && clock_now_ns() < end)
		fleet_pump(fleet, 5);
	goes_on(journal); /* says so when it does not */
}

int journal_wait(struct journal *journal, uint64_t patience_ns, struct error *err)
{
	char text[UNITS_TEXT_SIZE];
	uint64_t patience = patience_ns > SETTLE_NS ? patience_ns : SETTLE_NS;

	if (!journal)
		return 0;
	for (;;) {
		const struct writer_state state = writer_look(journal->writer);
		if (!state.is_busy)
			return 0;
		if (state.stalled_ns > patience) {
			error_set(err, ERROR_SYSTEM,
				  "the disk of the results has not answered for %s",
				  units_format_ns(text, (double)state.stalled_ns));
			return -1;
		}
		clock_sleep(NS_PER_MS);
	}
}
