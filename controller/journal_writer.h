/* journal_writer.h - puts bytes into a file in a thread of its own.
 *
 * The controller's one thread keeps heartbeats going; a disk for results that takes nothing for a
 * while (a frozen file system, an NFS server that is gone) must not end a run on hosts that are
 * well. What waits for the disk is kept here, in order. A failure ends the writing; what is in the
 * file until then stands. */
#ifndef MUSTER_CONTROLLER_JOURNAL_WRITER_H
#define MUSTER_CONTROLLER_JOURNAL_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"

struct journal_writer;

/* Takes `fd`, also when it fails. NULL with err. */
struct journal_writer *journal_writer_new(int fd, struct error *err);

/* Ends the thread when all is written and closes the file. While the disk does not answer, for at
 * most `patience_ns`; then the thread has it all for ever, and false is answered. */
bool journal_writer_free(struct journal_writer *writer, uint64_t patience_ns);

/* Takes what is in `bytes` and leaves it empty. Does not wait. */
void journal_writer_add(struct journal_writer *writer, struct bytes *bytes);
/* All that was added so far onto the disk: then it is kept up to `number`. Does not wait. */
void journal_writer_sync(struct journal_writer *writer, uint32_t number);

struct journal_writer_state {
	uint32_t kept;       /* number of the newest sync that is through */
	uint64_t waiting;    /* bytes that are not written */
	bool is_busy;        /* something is waiting or under way */
	uint64_t stalled_ns; /* how long the disk has been at one write or sync; 0: it is not */
	bool is_broken;      /* it failed, as `problem` says */
	struct error problem;
};
struct journal_writer_state journal_writer_look(struct journal_writer *writer);

#endif
