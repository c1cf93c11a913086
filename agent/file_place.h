/* file_place.h - where a file is: its directory, open, and its name in it.
 *
 * A whole path is looked at more than once, to check, to make, to open, to remove; between two
 * looks somebody else on the host can put a symbolic link where a directory was. So a path is
 * resolved once, with its links (safety.c), and held against the lists; from then on it is only
 * ever opened as it stands, and a link anywhere in it is an error. */
#ifndef MUSTER_AGENT_FILE_PLACE_H
#define MUSTER_AGENT_FILE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/error.h"

struct file_place {
	int directory;    /* -1: not open */
	const char *name; /* points into the path */
};

/* `path` is whole and without links, as realpath answers it; it is lent until file_place_close. */
int file_place_open(struct file_place *place, const char *path, struct error *err);
void file_place_close(struct file_place *place);

/* What stands there, a link not followed; false with errno. */
bool file_place_stat(const struct file_place *place, struct stat *st);

/* When it was made, in ns of the wall clock; 0: not known. */
uint64_t file_place_born_ns(const struct file_place *place);

#endif
