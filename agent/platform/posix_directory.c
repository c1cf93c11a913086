/* Opening a directory without following a symbolic link anywhere in its path. */
#include "agent/platform/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"

/* What is enough to look for a name in a directory, where the right to list it may be missing. */
#if defined(O_PATH)
#define FOR_SEARCH O_PATH
#elif defined(O_SEARCH)
#define FOR_SEARCH O_SEARCH
#else
#define FOR_SEARCH O_RDONLY
#endif

int posix_cannot_open_directory(const char *path, struct error *err)
{
	int code = errno;

	error_set(err, ERROR_REFUSED, "directory '%s': %s", path,
		  code == ELOOP ? "a symbolic link has taken the place of a part of it"
				: strerror(code));
	errno = code;
	return -1;
}

/* Takes the place of `directory`; -1 with errno. */
static int enter(int directory, const char *name)
{
	/* Which of these a link answers with differs between systems. */
	int next = openat(directory, name, FOR_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (next < 0 && (errno == ENOTDIR || errno == EMLINK) &&
	    fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		errno = S_ISLNK(st.st_mode) ? ELOOP : ENOTDIR;
	int code = errno;
	close(directory);
	errno = code;
	return next;
}

int posix_open_directory(const char *path, int *fd, struct error *err)
{
	int at = open("/", FOR_SEARCH | O_DIRECTORY | O_CLOEXEC);
	char *copy = mem_text(path), *rest = copy;

	for (char *name; at >= 0 && (name = strsep(&rest, "/"));)
		if (*name && strcmp(name, ".") != 0)
			at = enter(at, name);
	free(copy);
	*fd = at;
	return at < 0 ? posix_cannot_open_directory(path, err) : 0;
}
