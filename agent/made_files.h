/* made_files.h - the files that muster made on this host, so that it overwrites and removes those
 * and no others, also after a crash.
 *
 * A journal in the spool: a line each, written and synced before the file is made. Which file
 * counts as muster's is said in made_identity.h. For one thread at a time. */
#ifndef MUSTER_AGENT_MADE_FILES_H
#define MUSTER_AGENT_MADE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/file_place.h"
#include "common/error.h"

struct made_files;

/* Reads the journal, making the spool directory when absent; holds a lock on it so that two
 * agents cannot share a spool. NULL with err. */
struct made_files *made_files_open(const char *spool, struct error *err);
void made_files_close(struct made_files *files);

/* What a person should know of how the journal was found (damaged); NULL: nothing. The list's. */
const char *made_files_warning(const struct made_files *files);

/* Makes `path`, which must not exist, mode 0600, exclusively, and answers an open descriptor
 * (read and write, buffered); the journal knows it before it exists. `place` is that of the path;
 * NULL: opened for this alone. */
int made_files_create(struct made_files *files, const char *path, const struct file_place *place,
		      int *fd, struct error *err);

/* Whether muster made the file that stands there now; `place` as above. */
bool made_files_has(const struct made_files *files, const char *path,
		    const struct file_place *place);

/* Marks a file as to be kept: made_files_remove_all leaves it and the journal goes on to know it.
 */
void made_files_keep(struct made_files *files, const char *path);
/* Takes that back: it goes with the others. */
void made_files_drop(struct made_files *files, const char *path);
void made_files_keep_all(struct made_files *files);

/* Calls back for each that is not kept: what a clean-up could not remove, or none has come to. */
void made_files_each_left(const struct made_files *files,
			  void (*each)(void *context, const char *path), void *context);

/* Removes one file that is muster's and forgets it, once its directory is on disk without it. One
 * that cannot be found, its file system not being mounted, is an error and stays known. */
int made_files_remove(struct made_files *files, const char *path, struct error *err);

/* Removes all that are not kept, calling back for each: error text or NULL. */
void made_files_remove_all(struct made_files *files,
			   void (*each)(void *context, const char *path, const char *error),
			   void *context);

#endif
