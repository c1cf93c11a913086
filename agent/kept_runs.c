#include "agent/kept_runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/framed.h"
#include "common/memory.h"
#include "proto/codec.h"
#include "proto/run_id.h"

#define RESULTS   "results"
#define LEASE     "lease"
#define LEASE_NEW "lease.new"

static int cannot(const struct kept_runs *kept, const char *what, const char *name,
		  struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot %s '%s/%s': %s", what, kept->path, name,
		  strerror(errno));
	return -1;
}

/* The name of the directory, or all that is in it is lost with the power. */
static bool sync_spool(const char *spool)
{
	int fd = open(spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	int code = errno;

	if (fd >= 0)
		close(fd);
	errno = code;
	return done;
}

int kept_runs_open(struct kept_runs *kept, const char *spool, struct error *err)
{
	kept->path = mem_format("%s/" RESULTS, spool);
	kept->directory = -1;
	if (mkdir(kept->path, 0700) == 0 ? sync_spool(spool) : errno == EEXIST)
		kept->directory = open(kept->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (kept->directory >= 0)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot make or open '%s' for the results of runs: %s",
		  kept->path, strerror(errno));
	kept_runs_close(kept);
	return -1;
}

void kept_runs_close(struct kept_runs *kept)
{
	if (kept->directory >= 0)
		close(kept->directory);
	free(kept->path);
	*kept = (struct kept_runs){.directory = -1};
}

static int open_run(const struct kept_runs *kept, const char *run)
{
	if (!run_id_is_name(run)) {
		errno = EINVAL;
		return -1;
	}
	return openat(kept->directory, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void name_phase(char name[32], uint32_t number, uint32_t attempt)
{
	snprintf(name, 32, "phase.%" PRIu32 ".%" PRIu32, number, attempt);
}

static bool read_name(const char *name, struct kept_phase *phase)
{
	char again[32];

	if (sscanf(name, "phase.%" SCNu32 ".%" SCNu32, &phase->number, &phase->attempt) != 2)
		return false;
	name_phase(again, phase->number, phase->attempt);
	return strcmp(again, name) == 0;
}

/* ---- whose it is ---- */

static void take_lease(const struct lease *lease, struct kept_run *run)
{
	run->holder = mem_text(lease->holder);
	run->owner = mem_text(run_id_is_owner(lease->owner) ? lease->owner : "");
}

/* Whose it was, from the file that tells; without it nobody knows. */
static void read_lease(const struct kept_runs *kept, struct kept_run *run)
{
	struct kept_runs *lent = (struct kept_runs *)kept;
	struct kept_read read = {0};
	struct message message;
	const unsigned char *record;
	size_t size;
	struct error err;

	if (kept_runs_read(lent, run->run, 0, 0, 0, &read, &err) == 0) {
		struct framed framed = {.data = read.bytes.data, .size = read.bytes.size};
		if (framed_next(&framed, &record, &size) &&
		    codec_unpack(record, size, &message, &err) == 0) {
			if (message.envelope.kind == MESSAGE_LEASE)
				take_lease(message.body, run);
			message_release(&message);
		}
		free(read.bytes.data);
	}
	if (!run->holder)
		run->holder = mem_text("somebody unknown");
}

/* ---- writing ---- */

/* In place of one that cannot be read, and whole or not there: without it a run is nobody's. */
static int write_lease(int run, const struct bytes *lease)
{
	unlinkat(run, LEASE_NEW, 0);
	int fd = openat(run, LEASE_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	int failed = file_write_whole(fd, lease->data, lease->size) || fsync(fd) ||
		     renameat(run, LEASE_NEW, run, LEASE) || fsync(run);
	int code = errno;
	close(fd);
	if (failed)
		unlinkat(run, LEASE_NEW, 0);
	errno = code;
	return failed ? -1 : 0;
}

static bool has_owner(struct kept_runs *kept, const char *run)
{
	struct kept_run found = {.run = mem_text(run)};

	read_lease(kept, &found);
	bool has = found.owner && *found.owner;
	record_release(&kept_run_table, &found);
	return has;
}

int kept_runs_make(struct kept_runs *kept, const char *run, const struct bytes *lease,
		   struct error *err)
{
	if (!run_id_is_name(run) || (mkdirat(kept->directory, run, 0700) < 0 && errno != EEXIST))
		return cannot(kept, "make", run, err);
	int directory = open_run(kept, run);
	if (directory < 0)
		return cannot(kept, "open", run, err);
	int failed = 0;
	if (!has_owner(kept, run) && (write_lease(directory, lease) || fsync(kept->directory)))
		failed = cannot(kept, "write into", run, err);
	close(directory);
	return failed;
}

int kept_runs_add(struct kept_runs *kept, const char *run, uint32_t number, uint32_t attempt,
		  struct error *err)
{
	char name[32];
	int directory = open_run(kept, run), fd = -1;

	name_phase(name, number, attempt);
	if (directory >= 0)
		fd = openat(directory, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		cannot(kept, "make a phase's file in", run, err);
	if (directory >= 0)
		close(directory);
	return fd;
}

int kept_runs_sync(struct kept_runs *kept, const char *run, int fd, struct error *err)
{
	int directory = open_run(kept, run);
	int failed = directory < 0 || fsync(fd) || fsync(directory) || fsync(kept->directory);

	if (failed)
		cannot(kept, "sync", run, err);
	if (directory >= 0)
		close(directory);
	return failed ? -1 : 0;
}

/* ---- looking ---- */

/* Calls back for each entry of a directory, which it takes. */
static void each_entry(int directory, void (*each)(void *context, int directory, const char *name),
		       void *context)
{
	DIR *entries = fdopendir(directory);
	struct dirent *entry;

	if (!entries) {
		close(directory);
		return;
	}
	while ((entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			each(context, dirfd(entries), entry->d_name);
	closedir(entries);
}

struct looking {
	struct kept_run *run;
	time_t newest;
};

static void look_at_file(void *context, int directory, const char *name)
{
	struct looking *looking = context;
	struct kept_phase phase = {0};
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	if (st.st_mtime > looking->newest)
		looking->newest = st.st_mtime;
	looking->run->bytes += (uint64_t)st.st_size;
	if (!read_name(name, &phase))
		return;
	phase.bytes = (uint64_t)st.st_size;
	struct kept_phase *added = RECORD_APPEND(looking->run->phases, looking->run->phases_count);
	*added = phase;
}

static int by_number(const void *a, const void *b)
{
	const struct kept_phase *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

static void write_since(struct kept_run *run, time_t newest)
{
	struct tm parts;
	char text[32] = "?";

	if (gmtime_r(&newest, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	run->since = mem_text(text);
}

/* False where it is no run. */
static bool look_at_run(const struct kept_runs *kept, const char *name, struct kept_run *run,
			time_t *newest)
{
	struct looking looking = {.run = run};
	int directory = run_id_is_name(name) ? open_run(kept, name) : -1;

	*run = (struct kept_run){0};
	if (directory < 0)
		return false;
	each_entry(directory, look_at_file, &looking);
	run->run = mem_text(name);
	if (run->phases_count)
		qsort(run->phases, run->phases_count, sizeof(*run->phases), by_number);
	read_lease(kept, run);
	write_since(run, looking.newest);
	*newest = looking.newest;
	return true;
}

bool kept_runs_is_of(struct kept_runs *kept, const char *run, const char *owner)
{
	struct kept_run found;
	time_t newest;

	if (!look_at_run(kept, run, &found, &newest))
		return errno == ENOENT;
	bool is_known = found.owner && *found.owner;
	bool is_of =
		is_known ? strcmp(found.owner, owner) == 0 : !found.phases_count && !found.bytes;
	record_release(&kept_run_table, &found);
	return is_of;
}

struct listing {
	struct kept_runs *kept;
	struct leased *into;
};

static void list_run(void *context, int directory, const char *name)
{
	struct listing *listing = context;
	struct kept_run run;
	time_t newest;

	(void)directory;
	if (!look_at_run(listing->kept, name, &run, &newest))
		return;
	struct kept_run *added = RECORD_APPEND(listing->into->kept, listing->into->kept_count);
	*added = run;
}

static int by_age(const void *a, const void *b)
{
	return strcmp(((const struct kept_run *)a)->since, ((const struct kept_run *)b)->since);
}

static int open_again(const struct kept_runs *kept)
{
	return openat(kept->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void kept_runs_list(struct kept_runs *kept, struct leased *into)
{
	struct listing listing = {.kept = kept, .into = into};
	int directory = open_again(kept);

	if (directory >= 0)
		each_entry(directory, list_run, &listing);
	if (into->kept_count)
		qsort(into->kept, into->kept_count, sizeof(*into->kept), by_age);
}

/* ---- removing ---- */

static void remove_phases(int directory, const struct kept_run *run, uint32_t number)
{
	char name[32];

	for (uint32_t p = 0; p < run->phases_count; p++) {
		if (run->phases[p].number > number)
			continue;
		name_phase(name, run->phases[p].number, run->phases[p].attempt);
		unlinkat(directory, name, 0);
	}
}

void kept_runs_forget(struct kept_runs *kept, const char *run, uint32_t number)
{
	struct kept_run found;
	time_t newest;

	if (!look_at_run(kept, run, &found, &newest))
		return;
	int directory = open_run(kept, run);
	if (directory >= 0) {
		bool rest =
			found.phases_count && found.phases[found.phases_count - 1].number > number;
		remove_phases(directory, &found, number);
		if (!rest)
			unlinkat(directory, LEASE_NEW, 0);
		if (!rest)
			unlinkat(directory, LEASE, 0);
		close(directory);
		if (!rest)
			unlinkat(kept->directory, run, AT_REMOVEDIR);
	}
	record_release(&kept_run_table, &found);
}

struct expiring {
	struct kept_runs *kept;
	time_t before;
	struct name *runs;
	uint32_t runs_count;
};

static void find_expired(void *context, int directory, const char *name)
{
	struct expiring *expiring = context;
	struct kept_run run;
	time_t newest;

	(void)directory;
	if (!look_at_run(expiring->kept, name, &run, &newest))
		return;
	if (newest < expiring->before) {
		struct name *expired = RECORD_APPEND(expiring->runs, expiring->runs_count);
		expired->name = mem_format("%s %" PRIu64, name, run.bytes);
	}
	record_release(&kept_run_table, &run);
}

void kept_runs_expire(struct kept_runs *kept, uint64_t keep_ns,
		      void (*each)(void *context, const char *run, uint64_t bytes), void *context)
{
	struct expiring expiring = {.kept = kept,
				    .before = time(NULL) - (time_t)(keep_ns / NS_PER_S)};
	int directory = open_again(kept);

	if (directory >= 0)
		each_entry(directory, find_expired, &expiring);
	for (uint32_t i = 0; i < expiring.runs_count; i++) {
		char *space = strchr(expiring.runs[i].name, ' ');
		*space = '\0';
		kept_runs_forget(kept, expiring.runs[i].name, UINT32_MAX);
		each(context, expiring.runs[i].name, strtoull(space + 1, NULL, 10));
		free(expiring.runs[i].name);
	}
	free(expiring.runs);
}

/* ---- reading ---- */

static int read_from(int fd, uint64_t offset, size_t most, struct bytes *bytes)
{
	bytes->data = mem_resize(bytes->data, most, 1);
	bytes->capacity = most;
	for (bytes->size = 0; bytes->size < most;) {
		ssize_t done = pread(fd, bytes->data + bytes->size, most - bytes->size,
				     (off_t)(offset + bytes->size));
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		if (done == 0)
			break;
		bytes->size += (size_t)done;
	}
	return 0;
}

/* Those that are in one piece: what fits, or the first that is larger by itself. */
static size_t whole_records(const struct bytes *bytes)
{
	struct framed framed = {.data = bytes->data, .size = bytes->size};
	const unsigned char *record;
	size_t size, whole = 0;

	while (framed_next(&framed, &record, &size) && (!whole || framed.at <= KEPT_RUNS_READ))
		whole = framed.at;
	return whole;
}

static bool has_record_at(const struct bytes *bytes, size_t at)
{
	struct framed framed = {.data = bytes->data, .size = bytes->size, .at = at};
	const unsigned char *record;
	size_t size;

	return framed_next(&framed, &record, &size);
}

static int read_records(int fd, uint64_t offset, struct kept_read *read)
{
	struct stat st;
	size_t whole = 0;

	if (fstat(fd, &st) < 0)
		return -1;
	uint64_t left = (uint64_t)st.st_size > offset ? (uint64_t)st.st_size - offset : 0;
	/* A record that is larger than one reading is read by itself. */
	for (size_t most = KEPT_RUNS_READ;; most = FRAMED_HEAD + CODEC_FRAME_MAX) {
		if (read_from(fd, offset, left < most ? (size_t)left : most, &read->bytes) < 0)
			return -1;
		whole = whole_records(&read->bytes);
		if (whole || left <= most || most > KEPT_RUNS_READ)
			break;
	}
	read->next = offset + whole;
	/* Damage in the middle ends it as a cut does: nothing behind it is believed. */
	read->is_end = whole == left || !whole ||
		       (left <= read->bytes.size && !has_record_at(&read->bytes, whole));
	read->torn = read->is_end ? left - whole : 0;
	read->bytes.size = whole;
	return 0;
}

int kept_runs_read(struct kept_runs *kept, const char *run, uint32_t number, uint32_t attempt,
		   uint64_t offset, struct kept_read *read, struct error *err)
{
	char name[32] = LEASE;
	int directory = open_run(kept, run), fd = -1, failed = -1;

	*read = (struct kept_read){0};
	if (number)
		name_phase(name, number, attempt);
	if (directory >= 0)
		fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		failed = read_records(fd, offset, read);
	if (failed) {
		error_set(err, ERROR_SYSTEM, "cannot read '%s/%s/%s': %s", kept->path, run, name,
			  strerror(errno));
		free(read->bytes.data);
		*read = (struct kept_read){0};
	}
	if (fd >= 0)
		close(fd);
	if (directory >= 0)
		close(directory);
	return failed;
}
