#include "agent/made_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/file_place.h"
#include "agent/made_identity.h"
#include "common/memory.h"

#define JOURNAL "made.journal"
#define FRESH   "made.journal.new"
#define BAD     "made.journal.bad"

static int cannot(const struct made_journal *journal, const char *what, const char *name,
		  struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot %s '%s/%s': %s", what, journal->spool.path, name,
		  strerror(errno));
	return -1;
}

/* A whole line or none: what a full disk cut off is taken back, so that the next one does not
 * stick to it. */
static int append(struct made_journal *journal, const char *event, struct error *err)
{
	char *line = made_list_line(event);
	size_t length = strlen(line);
	ssize_t written = write(journal->fd, line, length);
	int failed = -1;

	free(line);
	if (written >= 0 && (size_t)written < length)
		errno = ENOSPC;
	else if (written >= 0 && fsync(journal->fd) == 0)
		failed = 0;
	if (failed) {
		cannot(journal, "write", JOURNAL, err);
		if (ftruncate(journal->fd, journal->size) < 0)
			error_prefix(err, "the journal has a broken line");
		return -1;
	}
	journal->size += written;
	return 0;
}

static int append_path(struct made_journal *journal, const char *word, const char *path,
		       struct error *err)
{
	char *event = mem_format("%s %s", word, path);
	int failed = append(journal, event, err);

	free(event);
	return failed;
}

static int append_file(struct made_journal *journal, const struct made_file *file,
		       struct error *err)
{
	char *event =
		file->directory_inode
			? mem_format("made %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				     " %s",
				     file->device, file->inode, file->born_ns,
				     file->directory_inode, file->directory_born_ns, file->path)
			: mem_format("made %" PRIu64 " %" PRIu64 " %" PRIu64 " %s", file->device,
				     file->inode, file->born_ns, file->path);
	int failed = append(journal, event, err);

	free(event);
	return failed;
}

/* Keeps the damaged file under a name that is free; the journal's own name is written anew. */
static void put_aside(struct made_journal *journal, unsigned lines)
{
	char name[64] = "";

	for (unsigned i = 1; i < 1000; i++) {
		snprintf(name, sizeof(name), BAD ".%u", i);
		if (linkat(journal->spool.directory, JOURNAL, journal->spool.directory, name, 0) ==
		    0)
			break;
		if (errno != EEXIST)
			break;
	}
	journal->warning = mem_format("the journal of made files had %u damaged line%s: files may "
				      "be left behind; it is kept as '%s/%s'",
				      lines, lines == 1 ? "" : "s", journal->spool.path, name);
}

static unsigned read_lines(struct made_journal *journal, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	unsigned bad = 0;

	for (ssize_t length; (length = getline(&line, &size, file)) > 0;) {
		if (line[length - 1] != '\n')
			break; /* cut off by a crash: it had not been synced, so nothing followed */
		line[--length] = '\0';
		bad += !made_list_apply(&journal->list, line, (size_t)length);
	}
	free(line);
	return bad;
}

static int read_journal(struct made_journal *journal, struct error *err)
{
	struct stat st;
	int fd = openat(journal->spool.directory, JOURNAL,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : cannot(journal, "open", JOURNAL, err);
	FILE *file = fdopen(fd, "r");
	if (!file) {
		cannot(journal, "open", JOURNAL, err);
		close(fd);
		return -1;
	}
	int failed = 0;
	unsigned bad = 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		errno = EINVAL;
		failed = cannot(journal, "read", JOURNAL, err);
	} else {
		bad = read_lines(journal, file);
		if (ferror(file))
			failed = cannot(journal, "read", JOURNAL, err);
	}
	fclose(file);
	if (bad && !failed)
		put_aside(journal, bad);
	return failed;
}

static bool is_as_made(const struct file_place *place, struct stat *st)
{
	return file_place_stat(place, st) && S_ISREG(st->st_mode) && st->st_size == 0 &&
	       (st->st_mode & 07777) == 0600 && st->st_uid == geteuid();
}

/* After a crash between the two lines of a file: it is ours when it is as we make them and empty
 * still, since nothing is written to it before its second line is on disk. */
static void settle_wanted(struct made_list *list)
{
	struct error ignored;
	struct file_place place;
	struct stat st;

	while (list->wanted_count > 0) {
		char *path = mem_text(list->wanted[list->wanted_count - 1]);
		if (file_place_open(&place, path, &ignored) == 0 && is_as_made(&place, &st)) {
			const struct made_file file = made_identity(path, &place, &st);
			made_list_made(list, &file);
		} else {
			made_list_gone(list, path);
		}
		file_place_close(&place);
		free(path);
	}
}

static int write_all(struct made_journal *journal, struct error *err)
{
	for (uint32_t i = 0; i < journal->list.count; i++) {
		const struct made_file *file = &journal->list.files[i];
		if (append_file(journal, file, err) < 0 ||
		    (file->keep && append_path(journal, "keep", file->path, err) < 0))
			return -1;
	}
	return 0;
}

/* Writes what holds into a new file, which then takes the journal's name at once. */
static int rewrite(struct made_journal *journal, struct error *err)
{
	int folder = journal->spool.directory;

	if (unlinkat(folder, FRESH, 0) < 0 && errno != ENOENT)
		return cannot(journal, "remove", FRESH, err);
	journal->fd = openat(folder, FRESH,
			     O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->fd < 0)
		return cannot(journal, "make", FRESH, err);
	if (write_all(journal, err) < 0)
		return -1;
	if (fsync(journal->fd) < 0 || renameat(folder, FRESH, folder, JOURNAL) < 0 ||
	    fsync(folder) < 0)
		return cannot(journal, "put in place", JOURNAL, err);
	return 0;
}

int made_journal_open(struct made_journal *journal, const char *spool, struct error *err)
{
	*journal = (struct made_journal){.fd = -1};
	if (spool_open(&journal->spool, spool, err) < 0)
		return -1;
	if (read_journal(journal, err) == 0) {
		settle_wanted(&journal->list);
		if (rewrite(journal, err) == 0)
			return 0;
	}
	made_journal_close(journal);
	return -1;
}

void made_journal_close(struct made_journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	made_list_release(&journal->list);
	spool_close(&journal->spool);
	free(journal->warning);
	*journal = (struct made_journal){.fd = -1};
}

int made_journal_want(struct made_journal *journal, const char *path, struct error *err)
{
	return append_path(journal, "want", path, err);
}

int made_journal_made(struct made_journal *journal, const struct made_file *file, struct error *err)
{
	int failed = append_file(journal, file, err);

	if (!failed)
		made_list_made(&journal->list, file);
	return failed;
}

int made_journal_keep(struct made_journal *journal, const char *path, struct error *err)
{
	made_list_keep(&journal->list, path);
	return append_path(journal, "keep", path, err);
}

int made_journal_drop(struct made_journal *journal, const char *path, struct error *err)
{
	made_list_drop(&journal->list, path);
	return append_path(journal, "drop", path, err);
}

int made_journal_gone(struct made_journal *journal, const char *path, struct error *err)
{
	int failed = append_path(journal, "gone", path, err);

	made_list_gone(&journal->list, path); /* last: `path` may be the list's own */
	return failed;
}
