#include "agent/made_identity.h"

#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/memory.h"

static uint64_t directory_born_ns(const struct file_place *place)
{
	return platform_born_ns(place->directory, ".");
}

struct made_file made_identity(const char *path, const struct file_place *place,
			       const struct stat *st)
{
	struct made_file file = {.path = (char *)path,
				 .device = (uint64_t)st->st_dev,
				 .inode = (uint64_t)st->st_ino,
				 .born_ns = file_place_born_ns(place)};
	struct stat directory;

	if (fstat(place->directory, &directory) == 0) {
		file.directory_inode = (uint64_t)directory.st_ino;
		file.directory_born_ns = directory_born_ns(place);
	}
	return file;
}

enum made_match made_match(const struct made_file *file, const struct file_place *place,
			   const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_ino != file->inode)
		return MADE_MATCH_OTHER;
	/* ext4 and XFS give the inode of a removed file to the very next one. */
	uint64_t born_ns = file_place_born_ns(place);
	if (born_ns && file->born_ns)
		return born_ns == file->born_ns ? MADE_MATCH_SAME : MADE_MATCH_OTHER;
	return (uint64_t)st->st_dev == file->device ? MADE_MATCH_SAME : MADE_MATCH_UNKNOWN;
}

bool made_is_home(const struct made_file *file, const struct file_place *place)
{
	struct stat st;

	if (fstat(place->directory, &st) < 0)
		return false;
	/* Removed and made anew, it is another on the same device. */
	if ((uint64_t)st.st_dev == file->device)
		return true;
	return file->directory_inode && (uint64_t)st.st_ino == file->directory_inode &&
	       directory_born_ns(place) == file->directory_born_ns;
}

bool made_is_home_removed(const struct made_file *file)
{
	char *path = mem_text(file->path);
	struct stat st;
	bool found = false;

	for (char *slash; !found && (slash = strrchr(path, '/'));) {
		slash[slash == path] = '\0';
		found = lstat(path, &st) == 0;
		if (slash == path)
			break;
	}
	free(path);
	return found && (uint64_t)st.st_dev == file->device;
}
