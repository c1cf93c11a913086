/* outbox.h - numbered messages that are kept until the controller has acknowledged them.
 *
 * Timeline batches and the `done` of a phase: sent at once, and again when no acknowledgement
 * comes. A controller that is silent for `dead_after` loses its lease, and so does one that is
 * alive and lets more than OUTBOX_BYTES_MOST of frames wait: the outbox is emptied then, and the
 * spool has everything (session_record.c). */
#ifndef MUSTER_AGENT_OUTBOX_H
#define MUSTER_AGENT_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/record_msgpack.h"

#define OUTBOX_BYTES_MOST (32u << 20)

struct outbox {
	struct outbox_item *first, **last; /* `last` set by outbox_init */
	uint64_t sequence;                 /* of the newest */
	uint64_t bytes;
};

struct outbox_item {
	struct outbox_item *next;
	uint64_t sequence;
	uint64_t sent_ns; /* 0: never */
	struct bytes frame;
};

void outbox_init(struct outbox *outbox);
/* Empties it; the numbers start again. */
void outbox_release(struct outbox *outbox);

/* Takes the frame's bytes; they carry the number outbox->sequence + 1, which becomes the newest. */
void outbox_add(struct outbox *outbox, struct bytes *frame);

/* Forgets all up to `sequence`. */
void outbox_acknowledge(struct outbox *outbox, uint64_t sequence);

/* The next item that was never sent, or last longer than `again_ns` ago; NULL when there is none.
 * The caller sends it and sets sent_ns. */
struct outbox_item *outbox_due(struct outbox *outbox, uint64_t now_ns, uint64_t again_ns);

static inline bool outbox_is_empty(const struct outbox *outbox)
{
	return !outbox->first;
}

#endif
