#include "controller/journal_lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether that is the file's name still. */
static bool is_named(int file, const char *path)
{
	struct stat held, named;

	return fstat(file, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

int journal_locks_take(struct journal_locks *locks, const char *path, struct error *err)
{
	int file = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);

	if (file < 0 && errno == ENOENT)
		return 0;
	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, path)) {
		assert(locks->count < JOURNAL_LOCKS_MOST);
		locks->files[locks->count++] = file;
		return 0;
	}
	if (file >= 0 && (errno == EWOULDBLOCK || !is_named(file, path)))
		error_set(err, ERROR_SETUP,
			  "'%s' is in use: that run is under way, or is being collected", path);
	else
		error_set(err, ERROR_SYSTEM, "cannot lock '%s': %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return -1;
}

int journal_locks_share(const struct journal_locks *locks, const char *path)
{
	for (uint32_t i = 0; i < locks->count; i++)
		if (is_named(locks->files[i], path))
			return fcntl(locks->files[i], F_DUPFD_CLOEXEC, 0);
	return -1;
}

void journal_locks_release(struct journal_locks *locks)
{
	for (uint32_t i = 0; i < locks->count; i++)
		close(locks->files[i]);
	*locks = (struct journal_locks){0};
}
