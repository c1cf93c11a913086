#include "controller/fetch_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

void fetch_chunk_add(struct fetch_chunk *chunk, struct message *message)
{
	if (chunk->bytes > FETCH_CHUNK_MOST)
		fetch_chunk_release(chunk);
	struct message *taken = RECORD_APPEND(chunk->frames, chunk->count);
	*taken = *message;
	chunk->bytes += message->size;
	message->body = NULL;
}

static void drop_first(struct fetch_chunk *chunk, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		chunk->bytes -= chunk->frames[i].size;
		message_release(&chunk->frames[i]);
	}
	chunk->count -= count;
	memmove(chunk->frames, chunk->frames + count, chunk->count * sizeof(*chunk->frames));
}

bool fetch_chunk_end(struct fetch_chunk *chunk, const struct fetch *asked,
		     const struct fetched *fetched)
{
	bool is_answer = asked && fetched->phase == asked->phase &&
			 fetched->attempt == asked->attempt && fetched->offset == asked->offset &&
			 fetched->frames <= chunk->count;

	if (!is_answer)
		fetch_chunk_release(chunk);
	else if (fetched->frames < chunk->count)
		drop_first(chunk, chunk->count - fetched->frames);
	return is_answer;
}

void fetch_chunk_release(struct fetch_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->count; i++)
		message_release(&chunk->frames[i]);
	free(chunk->frames);
	*chunk = (struct fetch_chunk){0};
}
