/* made_journal.h - the journal of made_files.h on disk: a line an event, synced before it counts.
 *
 *     5d2c1f7a made 64769 131 1764547200000000000 128 1764540000000000000 /scratch/muster.a.t.data
 *
 * Each line begins with a checksum of the rest, in hex. Events: `want PATH` before a file is made,
 * `made DEVICE INODE BORN_NS DIRECTORY_INODE DIRECTORY_BORN_NS PATH` after (without the two of
 * the directory in an older journal), `keep PATH`, `drop PATH` (kept no longer), `gone PATH`. A
 * last line that a crash cut off is left out; with any other damage the good lines are used and the
 * old file stays beside, as made.journal.bad.1 and so on. At each open it is written anew with what
 * still holds. */
#ifndef MUSTER_AGENT_MADE_JOURNAL_H
#define MUSTER_AGENT_MADE_JOURNAL_H

#include <stdint.h>
#include <sys/types.h>

#include "agent/made_list.h"
#include "agent/spool.h"
#include "common/error.h"

struct made_journal {
	struct spool spool;
	struct made_list list; /* files alone; what was wanted is settled at open */
	int fd;
	off_t size;
	char *warning; /* what a person should know of how it was found; NULL: nothing */
};

int made_journal_open(struct made_journal *journal, const char *spool, struct error *err);
void made_journal_close(struct made_journal *journal);

/* Each writes and syncs first. When that fails the list is as before, but `keep`, `drop` and `gone`
 * hold for this process. */
int made_journal_want(struct made_journal *journal, const char *path, struct error *err);
int made_journal_made(struct made_journal *journal, const struct made_file *file,
		      struct error *err);
int made_journal_keep(struct made_journal *journal, const char *path, struct error *err);
int made_journal_drop(struct made_journal *journal, const char *path, struct error *err);
int made_journal_gone(struct made_journal *journal, const char *path, struct error *err);

#endif
