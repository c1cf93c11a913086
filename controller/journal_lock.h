/* journal_lock.h - one program at a time works with a run's journals: the run itself, or whoever
 * collects it or takes it up again, from before it reads them until it ends.
 *
 * A lock (flock) on the file itself, so that it ends with the program however that ends. A journal
 * that is written anew is locked before it takes the other's name. */
#ifndef MUSTER_CONTROLLER_JOURNAL_LOCK_H
#define MUSTER_CONTROLLER_JOURNAL_LOCK_H

#include <stdint.h>

#include "common/error.h"

/* A result's, that of the work that goes on with it, and the latter anew. */
#define JOURNAL_LOCKS_MOST 3

/* Zero before use. */
struct journal_locks {
	int files[JOURNAL_LOCKS_MOST];
	uint32_t count;
};

/* Holds that file until release. One that is not there is fine: there is nothing in it. -1 when
 * another program holds it (ERROR_SETUP), or it cannot be opened for writing. */
int journal_locks_take(struct journal_locks *locks, const char *path, struct error *err);
/* A descriptor of that file that shares the lock, for appending, the caller's to close; -1: it is
 * not held. */
int journal_locks_share(const struct journal_locks *locks, const char *path);
void journal_locks_release(struct journal_locks *locks);

#endif
