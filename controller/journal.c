#include "controller/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/framed.h"
#include "common/log.h"
#include "common/memory.h"

#define FOLLOW_NS   (2 * NS_PER_S)
#define SETTLE_NS   (10 * NS_PER_S)
#define SERIES_MOST 65536 /* buckets of one record */

struct journal {
	int fd;
	bool is_broken;         /* told once; what is in it until then stands */
	uint64_t *exchanged_ns; /* t1 of the latest exchange of each host that is in it */
	uint64_t followed_ns;
	uint32_t kept, syncing; /* numbers of phases */
	pthread_t thread;
	bool has_thread;
	atomic_int synced; /* 0: under way; 1: it is; -1: it failed */
};

struct journal *journal_open(const char *directory, bool again, uint64_t keep, struct error *err)
{
	struct journal *journal = mem_new(1, sizeof(*journal));
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	int how = again ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL;

	journal->fd = open(path, how | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool is_mine = journal->fd >= 0 && flock(journal->fd, LOCK_EX | LOCK_NB) == 0;
	if (!is_mine || (again && ftruncate(journal->fd, (off_t)keep) < 0)) {
		if (!is_mine && journal->fd >= 0 && errno == EWOULDBLOCK)
			error_set(err, ERROR_SETUP, "'%s' is in use: that run is under way", path);
		else
			error_set(err, ERROR_SYSTEM, "cannot write '%s': %s", path,
				  strerror(errno));
		journal_close(journal);
		journal = NULL;
	}
	free(path);
	return journal;
}

int journal_check_free(const char *directory, struct error *err)
{
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_taken = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (is_taken)
		error_set(err, ERROR_SETUP, "'%s' is in use: that run is under way", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return is_taken ? -1 : 0;
}

static void finish_sync(struct journal *journal)
{
	if (!journal->has_thread)
		return;
	pthread_join(journal->thread, NULL);
	journal->has_thread = false;
	if (atomic_load(&journal->synced) > 0)
		journal->kept = journal->syncing;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	finish_sync(journal);
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal->exchanged_ns);
	free(journal);
}

/* ---- writing ---- */

static void break_off(struct journal *journal)
{
	journal->is_broken = true;
	log_warning("the run's journal cannot be written: %s; agents keep the results until they "
		    "are collected",
		    strerror(errno));
}

static void write_all(struct journal *journal, const struct bytes *bytes)
{
	for (size_t at = 0; at < bytes->size;) {
		ssize_t done = write(journal->fd, bytes->data + at, bytes->size - at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			errno = done ? errno : ENOSPC;
			break_off(journal);
			return;
		}
		at += (size_t)done;
	}
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

	if (!journal || journal->is_broken)
		return;
	journal_pack(&bytes, kind, record);
	write_all(journal, &bytes);
	free(bytes.data);
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
		any |= host->count > 0;
	}
	return any;
}

void journal_add_clocks(struct journal *journal, struct fleet *fleet)
{
	struct clock_record record = {0};

	if (!journal || journal->is_broken || !fleet->clocks)
		return;
	if (!journal->exchanged_ns)
		journal->exchanged_ns = mem_new(fleet->count, sizeof(*journal->exchanged_ns));
	journal->followed_ns = clock_now_ns();
	if (take_exchanges(journal, fleet, &record)) {
		struct bytes bytes = {0};
		journal_pack_clock(&bytes, &record);
		write_all(journal, &bytes);
		free(bytes.data);
	}
	clock_record_release(&record);
}

void journal_follow_clocks(struct journal *journal, struct fleet *fleet)
{
	if (journal && clock_now_ns() - journal->followed_ns >= FOLLOW_NS)
		journal_add_clocks(journal, fleet);
}

/* ---- a phase ---- */

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
					.silence_ns = host->silence_ns,
					.disruptions = host->disruptions,
					.disruptions_count = host->disruptions_count};

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

static void flush_series(struct journal *journal, struct journal_series *record)
{
	if (record->buckets.buckets_count)
		journal_add(journal, JOURNAL_SERIES, record);
	free(record->buckets.buckets);
	record->buckets = (struct timeline){0};
}

static void add_series(struct journal *journal, const struct series *series, uint32_t target,
		       struct journal_series *record)
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
			flush_series(journal, record);
	}
}

static void *sync_to_disk(void *context)
{
	struct journal *journal = context;

	atomic_store(&journal->synced, fsync(journal->fd) == 0 ? 1 : -1);
	return NULL;
}

static void begin_sync(struct journal *journal, uint32_t number)
{
	finish_sync(journal);
	if (journal->is_broken)
		return;
	journal->syncing = number;
	atomic_store(&journal->synced, 0);
	journal->has_thread = pthread_create(&journal->thread, NULL, sync_to_disk, journal) == 0;
	if (journal->has_thread)
		return;
	sync_to_disk(journal);
	if (atomic_load(&journal->synced) > 0)
		journal->kept = number;
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
	journal_add_clocks(journal, fleet);
	for (uint32_t i = 0; i < fleet->count; i++) {
		uint32_t h = collect->phase_host[i];
		if (h == UINT32_MAX)
			continue;
		struct journal_series record = {.number = number, .host = i};
		add_answer(journal, &fleet->hosts[i], number, i);
		for (uint32_t t = 0; t < phase->hosts[h].targets_count; t++)
			add_series(journal, &series->series[h][t], t, &record);
		flush_series(journal, &record);
		fleet_pump(fleet, 0);
	}
	journal_add(journal, JOURNAL_ENDED, &ended);
	begin_sync(journal, number);
}

uint32_t journal_kept(struct journal *journal)
{
	if (!journal)
		return 0;
	if (journal->has_thread && atomic_load(&journal->synced))
		finish_sync(journal);
	return journal->kept;
}

void journal_settle(struct journal *journal, struct fleet *fleet)
{
	uint64_t end = clock_now_ns() + SETTLE_NS;

	while (journal && journal->has_thread && clock_now_ns() < end) {
		journal_kept(journal);
		fleet_pump(fleet, 5);
	}
}
