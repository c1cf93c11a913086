/* trim.c - gives blocks back instead of moving data: one call at a time, as the sync engine does
 * its I/O. A block that was given back counts as moved. */
#include "agent/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/engine/at_once.h"
#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"

struct engine {
	struct at_once kept;
	bool *is_device; /* each of the set-up's files */
};

static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && !S_ISREG(st.st_mode);
}

static struct engine *trim_open(const struct engine_setup *setup, struct error *err)
{
	(void)err;
	struct engine *engine = mem_new(1, sizeof(*engine));
	engine->kept.depth = setup->depth;
	engine->kept.done = mem_new(setup->depth, sizeof(*engine->kept.done));
	engine->is_device = mem_new(setup->fds_count, sizeof(*engine->is_device));
	for (uint32_t i = 0; i < setup->fds_count; i++)
		engine->is_device[i] = is_device(setup->fds[i]);
	return engine;
}

static void perform(const struct engine *engine, struct io *io)
{
	int failed;

	io->submitted_ns = clock_now_ns();
	do {
		failed = engine->is_device[io->file]
				 ? platform_trim_device(io->fd, io->offset, io->length)
				 : platform_trim_file(io->fd, io->offset, io->length);
	} while (failed && errno == EINTR);
	io->result = failed ? -errno : (ssize_t)io->length;
	io->completed_ns = clock_now_ns();
}

static uint32_t trim_submit(struct engine *engine, struct io **ios, uint32_t count)
{
	count = at_once_room(&engine->kept, count);
	for (uint32_t i = 0; i < count; i++) {
		perform(engine, ios[i]);
		at_once_add(&engine->kept, ios[i]);
	}
	return count;
}

static uint32_t trim_reap(struct engine *engine, struct io **ios, uint32_t at_least,
			  uint32_t at_most)
{
	(void)at_least; /* all that were submitted are complete */
	return at_once_reap(&engine->kept, ios, at_most);
}

static void trim_close(struct engine *engine)
{
	if (!engine)
		return;
	free(engine->is_device);
	free(engine->kept.done);
	free(engine);
}

const struct engine_ops engine_trim = {
	.name = "trim",
	.max_depth = 1,
	.open = trim_open,
	.submit = trim_submit,
	.reap = trim_reap,
	.close = trim_close,
};
