/* uring_absent.c - stands for uring.c where there is no io_uring: another system than Linux, or no
 * liburing when this was built. */
#include "agent/engine/engine.h"

static int absent(struct error *err)
{
	error_set(err, ERROR_REFUSED,
		  "this muster-agent was built without io_uring, which only Linux has: on Linux, "
		  "install liburing-dev and build it again");
	return -1;
}

static struct engine *absent_open(const struct engine_setup *setup, struct error *err)
{
	(void)setup;
	absent(err);
	return NULL;
}

const struct engine_ops engine_uring = {.name = "uring", .probe = absent, .open = absent_open};
