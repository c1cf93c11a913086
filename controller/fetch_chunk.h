/* fetch_chunk.h - the frames that a host sends of its spool, until `fetched` says whose they were.
 *
 * What was asked again after a stall may be answered twice: a chunk is the frames that stand right
 * before its own `fetched`, as many as that says. Whoever sends more than an answer has and no
 * `fetched` is not believed to be giving one: what is in the chunk has at most FETCH_CHUNK_MOST
 * bytes as frames, and one more frame. */
#ifndef MUSTER_CONTROLLER_FETCH_CHUNK_H
#define MUSTER_CONTROLLER_FETCH_CHUNK_H

#include "proto/codec.h"

/* A cut-off answer and a whole one. */
#define FETCH_CHUNK_MOST (2 * (size_t)FETCH_PIECE_BYTES)

struct fetch_chunk {
	struct message *frames;
	uint32_t count;
	size_t bytes; /* of the frames */
};

/* Takes the message's body. When more are there than an answer can have, they are dropped. */
void fetch_chunk_add(struct fetch_chunk *chunk, struct message *message);
/* True: what is in it is all that was asked for. False: it is empty, since that is no answer to
 * `asked` (NULL: nothing is), or not all of it came. */
bool fetch_chunk_end(struct fetch_chunk *chunk, const struct fetch *asked,
		     const struct fetched *fetched);
void fetch_chunk_release(struct fetch_chunk *chunk);

#endif
