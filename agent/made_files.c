#include "agent/made_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/known_data.h"
#include "agent/made_identity.h"
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

static bool is_file(const struct made_file *file, const struct file_place *place)
{
	struct stat st;

	return file_place_stat(place, &st) && made_match(file, place, &st) == MADE_MATCH_SAME;
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
	const struct made_file file = made_identity(path, place, &st);
	return made_journal_made(&files->journal, &file, err);
}

/* The journal has one file of a name: another would have the first one forgotten. */
static int check_forgotten(const struct made_files *files, const char *path,
			   const struct file_place *place, struct error *err)
{
	const struct made_file *file = find(files, path);

	if (!file || made_is_home(file, place))
		return 0;
	error_set(err, ERROR_REFUSED,
		  "muster made '%s' on a file system that is not mounted there now: mount it, or "
		  "name another path; when it is gone for good, stop the agent and take the lines "
		  "of this path out of '%s/made.journal'",
		  path, files->journal.spool.path);
	return -1;
}

static int create(struct made_files *files, const char *path, const struct file_place *place,
		  int *fd, struct error *err)
{
	struct error ignored;

	if (made_files_has(files, path, place)) {
		error_set(err, ERROR_REFUSED, "'%s' is there already, made by muster", path);
		return -1;
	}
	if (check_forgotten(files, path, place, err) < 0)
		return -1;
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

/* ---- removing ---- */

struct removal {
	char *path, *directory;
	bool is_off; /* it is no more: so the journal may say, once the directory is synced */
};

static struct removal removal_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (struct removal){
		.path = mem_text(path),
		.directory = mem_format("%.*s", slash == path ? 1 : (int)(slash - path), path)};
}

static void removal_release(struct removal *removal)
{
	free(removal->path);
	free(removal->directory);
}

static int not_there(const struct made_file *file, struct error *err)
{
	error_set(err, ERROR_REFUSED,
		  "'%s' is not to be found where its file system was: it is not mounted, or was "
		  "replaced; muster goes on to look for the file",
		  file->path);
	return -1;
}

/* Something stands there. `*is_other`: surely not muster's, and muster's is no more. */
static int remove_standing(const struct made_file *file, const struct file_place *place,
			   const struct stat *st, bool *is_other, struct error *err)
{
	enum made_match match = made_match(file, place, st);

	if (match == MADE_MATCH_SAME && unlinkat(place->directory, place->name, 0) == 0)
		return 0;
	if (match == MADE_MATCH_SAME)
		error_set(err, ERROR_SYSTEM, "cannot remove '%s': %s", file->path, strerror(errno));
	else if (match == MADE_MATCH_UNKNOWN)
		error_set(
			err, ERROR_REFUSED,
			"'%s' may be the file that muster made, but its device has another number "
			"now and its file system does not say when it was made: it stays; remove "
			"it by hand",
			file->path);
	else
		error_set(err, ERROR_REFUSED, "'%s' is another file than muster made, and stays",
			  file->path);
	*is_other = match == MADE_MATCH_OTHER && made_is_home(file, place);
	return -1;
}

/* 0: it is gone, or was so before. */
static int remove_file(const struct made_file *file, bool *is_other, struct error *err)
{
	struct file_place place;
	struct stat st;
	int failed = -1;

	if (file_place_open(&place, file->path, err) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return -1;
		return made_is_home_removed(file) ? 0 : not_there(file, err);
	}
	if (file_place_stat(&place, &st))
		failed = remove_standing(file, &place, &st, is_other, err);
	else if (errno != ENOENT) /* on a disk that fails it may be there all the same */
		error_set(err, ERROR_SYSTEM, "cannot look at '%s': %s", file->path,
			  strerror(errno));
	else
		failed = made_is_home(file, &place) ? 0 : not_there(file, err);
	file_place_close(&place);
	return failed;
}

/* All but the journal. */
static int take_off(struct made_files *files, struct removal *removal, struct error *err)
{
	const struct made_file *file = find(files, removal->path);
	struct error ignored;
	bool is_other = false;

	if (!file) {
		error_set(err, ERROR_REFUSED, "'%s' was not made by muster and stays",
			  removal->path);
		return -1;
	}
	int failed = remove_file(file, &is_other, err);
	removal->is_off = !failed;
	if (!failed || is_other) /* also before one is made */
		known_data_drop(files->journal.spool.path, removal->path, &ignored);
	if (is_other)
		made_journal_gone(&files->journal, removal->path, &ignored);
	return failed;
}

/* Of a directory that is gone itself, may not be read, or knows no syncing. */
static bool is_beyond_sync(int code)
{
	return code == ENOENT || code == ENOTDIR || code == EACCES || code == EINVAL ||
	       code == ENOTSUP;
}

/* After a power cut a file may be there again that was removed from a directory that was not
 * synced. */
static int sync_directory(const char *path, struct error *err)
{
	int at, code = 0;

	if (platform_open_directory(path, &at, err) < 0)
		return is_beyond_sync(errno) ? 0 : -1;
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0)
		code = errno;
	if (fd >= 0)
		close(fd);
	close(at);
	if (code == 0 || is_beyond_sync(code))
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot sync '%s', from which files were removed: %s", path,
		  strerror(code));
	return -1;
}

int made_files_remove(struct made_files *files, const char *path, struct error *err)
{
	struct removal removal = removal_of(path);
	int failed = take_off(files, &removal, err) < 0 ||
				     sync_directory(removal.directory, err) < 0 ||
				     made_journal_gone(&files->journal, removal.path, err) < 0
			     ? -1
			     : 0;

	removal_release(&removal);
	return failed;
}

static int by_directory(const void *a, const void *b)
{
	return strcmp(((const struct removal *)a)->directory,
		      ((const struct removal *)b)->directory);
}

static struct removal *list_removals(const struct made_files *files, uint32_t *count)
{
	const struct made_list *list = &files->journal.list;
	struct removal *removals = mem_new(list->count ? list->count : 1, sizeof(*removals));

	*count = 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->files[i].keep)
			removals[(*count)++] = removal_of(list->files[i].path);
	qsort(removals, *count, sizeof(*removals), by_directory);
	return removals;
}

/* Those of one directory, which is synced once. */
static void remove_group(struct made_files *files, struct removal *group, uint32_t count,
			 void (*each)(void *context, const char *path, const char *error),
			 void *context)
{
	struct error err, unsynced;
	uint32_t off = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (take_off(files, &group[i], &err) < 0 && each)
			each(context, group[i].path, err.text);
		off += group[i].is_off;
	}
	bool is_synced = !off || sync_directory(group->directory, &unsynced) == 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!group[i].is_off)
			continue;
		int failed =
			is_synced ? made_journal_gone(&files->journal, group[i].path, &err) : -1;
		if (each)
			each(context, group[i].path,
			     !is_synced ? unsynced.text
			     : failed   ? err.text
					: NULL);
	}
}

void made_files_remove_all(struct made_files *files,
			   void (*each)(void *context, const char *path, const char *error),
			   void *context)
{
	uint32_t count, end;
	struct removal *removals = list_removals(files, &count);

	for (uint32_t first = 0; first < count; first = end) {
		for (end = first + 1;
		     end < count && by_directory(&removals[first], &removals[end]) == 0;)
			end++;
		remove_group(files, &removals[first], end - first, each, context);
	}
	for (uint32_t i = 0; i < count; i++)
		removal_release(&removals[i]);
	free(removals);
}
