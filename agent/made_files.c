#include "agent/made_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/known_data.h"
#include "agent/made_journal.h"
#include "agent/platform/platform.h"
#include "common/memory.h"

struct made_files {
	struct made_journal journal;
};

struct made_files *made_files_open(const char *spool, struct error *err)
{
	struct made_files *files = mem_new(1, sizeof(*files));

	if (made_journal_open(&files->journal, spool, err) == 0)
		return files;
	free(files);
	return NULL;
}

void made_files_close(struct made_files *files)
{
	if (!files)
		return;
	made_journal_close(&files->journal);
	free(files);
}

const char *made_files_warning(const struct made_files *files)
{
	return files->journal.warning;
}

static const struct made_file *find(const struct made_files *files, const char *path)
{
	return made_list_find(&files->journal.list, path);
}

/* Whether what stands there is the file of the journal. */
static bool is_file(const struct made_file *file, const struct file_place *place)
{
	struct stat st;

	if (!file_place_stat(place, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_dev != file->device || (uint64_t)st.st_ino != file->inode)
		return false;
	/* ext4 and XFS give the inode of a removed file to the very next one. */
	uint64_t born_ns = file_place_born_ns(place);
	return !born_ns || !file->born_ns || born_ns == file->born_ns;
}

bool made_files_has(const struct made_files *files, const char *path,
		    const struct file_place *place)
{
	const struct made_file *file = find(files, path);
	struct file_place own = {.directory = -1};
	struct error ignored;

	if (!file || (!place && file_place_open(&own, path, &ignored) < 0))
		return false;
	bool found = is_file(file, place ? place : &own);
	file_place_close(&own);
	return found;
}

static int check_path(const char *path, struct error *err)
{
	if (path[0] == '/' && !strchr(path, '\n') && strlen(path) < PATH_MAX)
		return 0;
	error_set(
		err, ERROR_REFUSED,
		"cannot make a file with this name: wanted is a whole path below %d bytes without "
		"line breaks",
		PATH_MAX);
	return -1;
}

static int make(const char *path, const struct file_place *place, struct error *err)
{
	int fd = openat(place->directory, place->name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		error_set(err, ERROR_REFUSED,
			  "'%s' exists and was not made by muster, as far as this agent's spool "
			  "knows: remove it, or name another path",
			  path);
	else if (fd < 0)
		error_set(err, ERROR_SYSTEM, "cannot make '%s': %s", path, strerror(errno));
	return fd;
}

/* Until the journal has the inode the file stays empty: that is how one of whose inode the journal
 * does not know is told from a foreign one after a crash. */
static int note_made(struct made_files *files, const char *path, const struct file_place *place,
		     int fd, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	const struct made_file file = {.path = (char *)path,
				       .device = (uint64_t)st.st_dev,
				       .inode = (uint64_t)st.st_ino,
				       .born_ns = file_place_born_ns(place)};
	return made_journal_made(&files->journal, &file, err);
}

static int create(struct made_files *files, const char *path, const struct file_place *place,
		  int *fd, struct error *err)
{
	struct error ignored;

	if (made_files_has(files, path, place)) {
		error_set(err, ERROR_REFUSED, "'%s' is there already, made by muster", path);
		return -1;
	}
	if (made_journal_want(&files->journal, path, err) < 0)
		return -1;
	int made = make(path, place, err);
	if (made < 0)
		goto forget;
	if (note_made(files, path, place, made, err) < 0)
		goto remove;
	*fd = made;
	return 0;
remove:
	unlinkat(place->directory, place->name, 0);
	close(made);
forget:
	made_journal_gone(&files->journal, path, &ignored);
	return -1;
}

int made_files_create(struct made_files *files, const char *path, const struct file_place *place,
		      int *fd, struct error *err)
{
	struct file_place own = {.directory = -1};

	if (check_path(path, err) < 0 || (!place && file_place_open(&own, path, err) < 0))
		return -1;
	int failed = create(files, path, place ? place : &own, fd, err);
	file_place_close(&own);
	return failed;
}

void made_files_keep(struct made_files *files, const char *path)
{
	struct error ignored;

	/* When it cannot be written, the file is kept while this agent runs. */
	const struct made_file *file = find(files, path);
	if (file && !file->keep)
		made_journal_keep(&files->journal, path, &ignored);
}

void made_files_drop(struct made_files *files, const char *path)
{
	struct error ignored;

	const struct made_file *file = find(files, path);
	if (file && file->keep)
		made_journal_drop(&files->journal, path, &ignored);
}

void made_files_keep_all(struct made_files *files)
{
	for (uint32_t i = 0; i < files->journal.list.count; i++)
		made_files_keep(files, files->journal.list.files[i].path);
}

void made_files_each_left(const struct made_files *files,
			  void (*each)(void *context, const char *path), void *context)
{
	for (uint32_t i = 0; i < files->journal.list.count; i++)
		if (!files->journal.list.files[i].keep)
			each(context, files->journal.list.files[i].path);
}

/* 0: it is gone, or never was there. `*is_other`: something else stands there, and stays. */
static int remove_file(const struct made_file *file, bool *is_other, struct error *err)
{
	struct file_place place;
	struct stat st;
	int failed = -1;

	*is_other = false;
	if (file_place_open(&place, file->path, err) < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	bool there = file_place_stat(&place, &st);
	/* On a disk that fails it may be there all the same. */
	bool is_unknown = !there && errno != ENOENT;
	*is_other = there && !is_file(file, &place);
	if (is_unknown)
		error_set(err, ERROR_SYSTEM, "cannot look at '%s': %s", file->path,
			  strerror(errno));
	else if (*is_other)
		error_set(err, ERROR_REFUSED, "'%s' is another file than muster made, and stays",
			  file->path);
	else if (there && unlinkat(place.directory, place.name, 0) < 0)
		error_set(err, ERROR_SYSTEM, "cannot remove '%s': %s", file->path, strerror(errno));
	else
		failed = 0;
	file_place_close(&place);
	return failed;
}

int made_files_remove(struct made_files *files, const char *path, struct error *err)
{
	const struct made_file *file = find(files, path);
	struct error ignored;
	bool is_other = false;

	if (!file) {
		error_set(err, ERROR_REFUSED, "'%s' was not made by muster and stays", path);
		return -1;
	}
	int failed = remove_file(file, &is_other, err);
	if (failed && !is_other)
		return -1;
	known_data_drop(files->journal.spool.path, path, &ignored); /* also before one is made */
	if (!failed)
		return made_journal_gone(&files->journal, path, err);
	made_journal_gone(&files->journal, path, &ignored);
	return -1;
}

void made_files_remove_all(struct made_files *files,
			   void (*each)(void *context, const char *path, const char *error),
			   void *context)
{
	/* From the end, since removing takes out of the list; one that stays is passed over. */
	for (uint32_t i = files->journal.list.count; i-- > 0;) {
		const struct made_file *file = &files->journal.list.files[i];
		struct error err;
		if (file->keep)
			continue;
		char *path = mem_text(file->path);
		int failed = made_files_remove(files, path, &err);
		if (each)
			each(context, path, failed ? err.text : NULL);
		free(path);
	}
}
