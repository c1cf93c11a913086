#include "agent/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"

static int make_directory(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int make_directories(const char *path, struct error *err)
{
	char *part = mem_text(path);
	int failed = 0;

	for (char *slash = part; !failed && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		failed = make_directory(part);
		*slash = '/';
	}
	if (!failed)
		failed = make_directory(part);
	if (failed)
		error_set(err, ERROR_SYSTEM, "cannot make the spool directory '%s': %s", path,
			  strerror(errno));
	free(part);
	return failed;
}

/* The owner wrote its process id into the lock file. */
static void taken(const char *path, int lock, struct error *err)
{
	char owner[32] = "";
	ssize_t length = pread(lock, owner, sizeof(owner) - 1, 0);

	owner[length > 0 ? strspn(owner, "0123456789") : 0] = '\0';
	error_set(err, ERROR_SETUP,
		  "spool '%s' is in use by another agent%s%s: stop that one, or give this one a "
		  "spool of its own",
		  path, *owner ? ", process " : "", owner);
}

static int take_lock(struct spool *spool, struct error *err)
{
	char text[32];

	spool->lock =
		openat(spool->directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (spool->lock < 0) {
		error_set(err, ERROR_SYSTEM, "cannot open '%s/lock': %s", spool->path,
			  strerror(errno));
		return -1;
	}
	if (flock(spool->lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			taken(spool->path, spool->lock, err);
		else
			error_set(err, ERROR_SYSTEM, "cannot lock '%s/lock': %s", spool->path,
				  strerror(errno));
		return -1;
	}
	/* For the message to others only; a full disk is no reason to give up here. */
	int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(spool->lock, 0) == 0 && pwrite(spool->lock, text, (size_t)length, 0) < 0)
		return 0;
	return 0;
}

/* What is in it is believed: which files muster made and may write over and remove. Who may write
 * to it could name any file of the allowed directories. */
static int check_owner(const struct spool *spool, struct error *err)
{
	struct stat st;

	if (fstat(spool->directory, &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat the spool directory '%s': %s",
			  spool->path, strerror(errno));
		return -1;
	}
	if (st.st_uid != 0 && st.st_uid != geteuid()) {
		error_set(err, ERROR_SETUP,
			  "spool '%s' belongs to user %ld, who could have the agent overwrite and "
			  "remove files: it has to be root's or the agent's own; type: chown %ld "
			  "'%s'",
			  spool->path, (long)st.st_uid, (long)geteuid(), spool->path);
		return -1;
	}
	if (st.st_mode & 022) {
		error_set(err, ERROR_SETUP,
			  "spool '%s' can be written to by others (mode %04o), who could have the "
			  "agent overwrite and remove files; type: chmod go-w '%s'",
			  spool->path, (unsigned)st.st_mode & 07777, spool->path);
		return -1;
	}
	return 0;
}

int spool_open(struct spool *spool, const char *path, struct error *err)
{
	*spool = (struct spool){.directory = -1, .lock = -1};
	if (make_directories(path, err) < 0)
		return -1;
	spool->path = mem_text(path);
	spool->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->directory < 0)
		error_set(err, ERROR_SYSTEM, "cannot open the spool directory '%s' as uid %u: %s",
			  path, (unsigned)geteuid(), strerror(errno));
	else if (check_owner(spool, err) == 0 && take_lock(spool, err) == 0)
		return 0;
	spool_close(spool);
	return -1;
}

void spool_close(struct spool *spool)
{
	if (spool->lock >= 0)
		close(spool->lock);
	if (spool->directory >= 0)
		close(spool->directory);
	free(spool->path);
	*spool = (struct spool){.directory = -1, .lock = -1};
}
