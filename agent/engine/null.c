/* null.c - no I/O at all: what is submitted is complete. Measures the harness itself.
 *
 * One clock reading for each batch submitted and one for each batch reaped, as a real engine
 * would. */
#include "agent/engine/engine.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/memory.h"

struct engine {
	struct io **flight; /* a ring, oldest at `first` */
	uint32_t first, count, depth;
};

static struct engine *null_open(const struct engine_setup *setup, struct error *err)
{
	(void)err;
	struct engine *engine = mem_new(1, sizeof(*engine));
	engine->depth = setup->depth;
	engine->flight = mem_new(setup->depth, sizeof(*engine->flight));
	return engine;
}

static uint32_t null_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	uint32_t room = engine->depth - engine->count;
	uint64_t now = clock_now_ns();

	if (count > room)
		count = room;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = engine->first + engine->count++;
		ios[i]->submitted_ns = now;
		ios[i]->result = (ssize_t)ios[i]->length;
		engine->flight[at >= engine->depth ? at - engine->depth : at] = ios[i];
	}
	return count;
}

static uint32_t null_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			  uint32_t at_most)
{
	uint32_t count = 0;
	uint64_t now = clock_now_ns();

	(void)at_least;
	while (count < at_most && engine->count > 0) {
		struct io *io = engine->flight[engine->first];
		io->completed_ns = now;
		ios[count++] = io;
		engine->first = engine->first + 1 == engine->depth ? 0 : engine->first + 1;
		engine->count--;
	}
	return count;
}

static void null_close(struct engine *engine)
{
	if (!engine)
		return;
	free(engine->flight);
	free(engine);
}

const struct engine_ops engine_null = {
	.name = "null",
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
