/* local.h - agents of the controller's own, on the loopback: same program, same messages.
 *
 * Each gets a directory with its config, spool and scratch under a temporary one (or under the
 * plan's `scratch`, or, to be found again by the next run, in its `spool`), a free port, and a pipe
 * as standard input: when the controller is gone, however it went, the agent sees the pipe close,
 * stops its load, removes its files and ends. The first line on that pipe is the agent's one-time
 * keys: nothing secret is in argv, environment or a file. */
#ifndef MUSTER_CONTROLLER_LOCAL_H
#define MUSTER_CONTROLLER_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"
#include "controller/keyring.h"
#include "controller/plan.h"

struct local_agent {
	pid_t pid;
	int stdin_fd;
	char *directory; /* removed at the end unless it stays */
	bool stays;
	uint16_t port;
};

struct local_agents {
	struct local_agent *agents;
	uint32_t count;
	char *temporary; /* directory made for all without `scratch`; NULL: none */
};

/* Starts one for each local host of the plan and waits until each listens, at most 10 s. The agent
 * program is `muster-agent` beside this program, else on PATH. Their lists allow their scratch
 * directory and what the plan itself names for them. */
int local_start(struct local_agents *local, const struct plan_hosts *hosts,
		const struct keyring *keyring, struct error *err);

/* The ports in order, for fleet_open; the caller's to free. */
uint16_t *local_ports(const struct local_agents *local);

/* Closes their pipes, waits at most 35 s for each to end by itself, then kills it; removes their
 * directories. */
void local_stop(struct local_agents *local);

#endif
