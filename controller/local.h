/* local.h - agents of the controller's own, on the loopback: same program, same messages.
 *
 * Each gets a directory with its config, spool and scratch under a temporary one (or under the
 * plan's `scratch`, or, to be found again by the next run, in its `spool`), a free port, and a pipe
 * as standard input: when the controller is gone, however it went, the agent sees the pipe close,
 * stops its load, removes its files and ends. The first line on that pipe is the agent's one-time
 * keys: nothing secret is in argv, environment or a file.
 *
 * A controller that was killed leaves the directories, with what the agents kept of the run, and
 * its journal says where they are: who collects starts the agents on them again. */
#ifndef MUSTER_CONTROLLER_LOCAL_H
#define MUSTER_CONTROLLER_LOCAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"
#include "controller/keyring.h"
#include "controller/plan.h"

struct local_agent {
	uint32_t host; /* number in the fleet */
	pid_t pid;
	int stdin_fd;
	char *directory; /* removed at the end, unless it stays or nobody has looked into it */
	bool stays;
	bool is_temporary; /* the directory stands in one that was made for it */
	bool is_broken;    /* it did not end by itself: nobody has removed its files */
	bool is_stuck;     /* it has not ended at all */
	uint16_t port;     /* 0: it does not run */
	char *why;         /* it does not run; NULL: it does */
};

struct local_agents {
	struct local_agent *agents;
	uint32_t count;
	char *temporary; /* directory made for all without `scratch`; NULL: none */
	char **before;   /* local_adopt: by number in the fleet */
	uint32_t before_count;
	const struct keyring *keyring; /* as it was started with, lent until local_stop */
};

/* Of a run that is taken up again, host by host in the fleet's order, before any is started: the
 * directory that its agent had; NULL: none. */
void local_adopt(struct local_agents *local, const char *directory);

/* Starts one for each local host of the plan and waits until each listens, at most 10 s. The agent
 * program is `muster-agent` beside this program, else on PATH. Their lists allow their scratch
 * directory and what the plan itself names for them. A directory from before that is there goes on
 * to be the agent's, with the files that the one before it could not remove; one whose agent is
 * ending is waited for, at most 35 s. */
int local_start(struct local_agents *local, const struct plan_hosts *hosts,
		const struct keyring *keyring, struct error *err);

/* The same for who asks what they keep: those alone that have a directory already, from before or
 * in the plan's `spool`. Of the others, and of those that do not start, `why` says why. */
void local_start_kept(struct local_agents *local, const struct plan_hosts *hosts,
		      const struct keyring *keyring);

/* Where the agent of a host of the fleet has its own; NULL: it is no local one. */
char *local_directory_of(const struct local_agents *local, uint32_t host);

/* Closes their pipes, waits at most 35 s for all to end by themselves, then kills who has not, and
 * gives up after 2 s who cannot be killed (a disk that does not answer). For one that was killed
 * another is started, which removes what it had made. Removes the directories of all that ended in
 * order. */
void local_stop(struct local_agents *local);

#endif
