/* sync.c - one pread or pwrite at a time: submit does the I/O, reap hands it back.
 *
 * The parts of a stripe's request therefore go one after another: no overlap between disks within
 * one worker. More workers overlap them, and so does the uring engine. */
#include "agent/engine/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/engine/at_once.h"
#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"

struct engine {
	struct at_once kept;
	bool sync_each;
};

static struct engine *sync_open(const struct engine_setup *setup, struct error *err)
{
	(void)err;
	struct engine *engine = mem_new(1, sizeof(*engine));
	engine->kept.depth = setup->depth;
	engine->sync_each = setup->sync_each;
	engine->kept.done = mem_new(setup->depth, sizeof(*engine->kept.done));
	return engine;
}

static ssize_t move(const struct io *io)
{
	ssize_t moved;

	do {
		moved = io->kind == IO_READ
				? platform_readv(io->fd, io->vector, io->vector_count, io->offset)
				: platform_writev(io->fd, io->vector, io->vector_count, io->offset);
	} while (moved < 0 && errno == EINTR);
	return moved < 0 ? -errno : moved;
}

static void perform(const struct engine *engine, struct io *io)
{
	io->submitted_ns = clock_now_ns();
	io->result = move(io);
	if (engine->sync_each && io->kind == IO_WRITE && io->result >= 0 &&
	    platform_sync(io->fd, false))
		io->result = -errno;
	io->completed_ns = clock_now_ns();
}

static uint32_t sync_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	count = at_once_room(&engine->kept, count);
	for (uint32_t i = 0; i < count; i++) {
		perform(engine, ios[i]);
		at_once_add(&engine->kept, ios[i]);
	}
	return count;
}

static uint32_t sync_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			  uint32_t at_most)
{
	(void)at_least; /* all that were submitted are complete */
	return at_once_reap(&engine->kept, ios, at_most);
}

static void sync_close(struct engine *engine)
{
	if (!engine)
		return;
	free(engine->kept.done);
	free(engine);
}

const struct engine_ops engine_sync = {
	.name = "sync",
	.max_depth = 1,
	.open = sync_open,
	.submit = sync_submit,
	.reap = sync_reap,
	.close = sync_close,
};
