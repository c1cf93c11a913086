#include "agent/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/platform.h"
#include "common/memory.h"

int file_place_open(struct file_place *place, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');

	*place = (struct file_place){.directory = -1};
	if (!slash || path[0] != '/' || !slash[1]) {
		error_set(err, ERROR_REFUSED, "'%s' is no whole path of a file", path);
		errno = EINVAL;
		return -1;
	}
	char *directory = mem_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
	int failed = platform_open_directory(directory, &place->directory, err);
	int code = errno;
	free(directory);
	place->name = slash + 1;
	errno = code;
	return failed;
}

void file_place_close(struct file_place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	place->directory = -1;
}

bool file_place_stat(const struct file_place *place, struct stat *st)
{
	return fstatat(place->directory, place->name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

uint64_t file_place_born_ns(const struct file_place *place)
{
	return platform_born_ns(place->directory, place->name);
}
