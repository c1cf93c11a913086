/* writer.h - puts bytes into a file in a thread of its own.
 *
 * For who must not wait: the one thread that keeps heartbeats going. A disk for results that takes
 * nothing for a while (a frozen file system, an NFS server that is gone) must not end a run on
 * hosts that are well. What waits for the file is kept here, in order. A failure ends the writing;
 * what is in the file until then stands. */
#ifndef MUSTER_COMMON_WRITER_H
#define MUSTER_COMMON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"

struct writer;

/* Takes `fd`, also when it fails. NULL with err. */
struct writer *writer_new(int fd, struct error *err);

/* Ends the thread when all is written and closes the file. While the disk does not answer, for at
 * most `patience_ns`; then the thread has it all for ever, and false is answered. */
bool writer_free(struct writer *writer, uint64_t patience_ns);

/* Takes what is in `bytes` and leaves it empty. Does not wait. */
void writer_add(struct writer *writer, struct bytes *bytes);
/* All that was added so far onto the disk: then it is kept up to `number`. Does not wait. */
void writer_sync(struct writer *writer, uint32_t number);

struct writer_state {
	uint32_t kept;       /* number of the newest sync that is through */
	uint64_t waiting;    /* bytes that are not written */
	bool is_busy;        /* something is waiting or under way */
	uint64_t stalled_ns; /* how long the disk has been at one write or sync; 0: it is not */
	bool is_broken;      /* it failed, as `problem` says */
	struct error problem;
};
struct writer_state writer_look(struct writer *writer);

#endif
