/* aio_absent.c - stands for aio.c on systems other than Linux. */
#include "agent/engine/engine.h"

static int absent(struct error *err)
{
	error_set(err, ERROR_REFUSED, "native AIO is Linux's, and this is another system");
	return -1;
}

static struct engine *absent_open(const struct engine_setup *setup, struct error *err)
{
	(void)setup;
	absent(err);
	return NULL;
}

const struct engine_ops engine_aio = {.name = "aio", .probe = absent, .open = absent_open};
