/* session.h - the agent's conversation with one controller at a time.
 *
 * One thread, which alone touches the socket and never waits for I/O: preparing, working, syncing
 * and removing happen in other threads and are polled here. */
#ifndef MUSTER_AGENT_SESSION_H
#define MUSTER_AGENT_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/clock_responder.h"
#include "agent/config.h"
#include "agent/disruption_watch.h"
#include "agent/made_files.h"
#include "agent/recorder.h"
#include "common/error.h"
#include "proto/channel.h"

struct session_setup {
	const struct agent_config *config;
	struct made_files *files;
	struct recorder *recorder; /* NULL: results are kept in memory alone */
	struct channel *channel;
	struct clock_responder *responder; /* NULL: clocks are exchanged over ZeroMQ alone */
	struct disruption_watch *watch;    /* NULL: nobody watches the clocks */
	bool secured;                      /* with keys */
	bool insecure;                     /* without, beyond the loopback */
	int parent_fd;                     /* when it closes, the agent ends; -1: none */
	const atomic_bool *stop;           /* set by a signal: stop the load, clean up, end */
	uint64_t outbox_most; /* bytes that wait for acknowledgement; 0: OUTBOX_BYTES_MOST */
};

/* Serves until `stop` or the parent's end; a phase under way is stopped and what muster made is
 * removed before it returns. A load that cannot be stopped within 30 s (I/O stuck in the kernel) is
 * left to the end of the process: -1 then, with what is stuck. */
int session_serve(const struct session_setup *setup, struct error *err);

#endif
