/* assembly.h - all hosts of a plan, brought together and let go again: what every command that asks
 * a fleet begins and ends with. */
#ifndef MUSTER_CONTROLLER_ASSEMBLY_H
#define MUSTER_CONTROLLER_ASSEMBLY_H

#include <stdbool.h>

#include "common/error.h"
#include "controller/fleet.h"
#include "controller/journal_read.h"
#include "controller/keyring.h"
#include "controller/local.h"
#include "controller/options.h"
#include "controller/plan.h"

struct assembly {
	struct plan_hosts hosts;
	struct keyring keyring;
	struct local_agents local;
	struct fleet fleet;
};

/* Expands the plan's hosts and reads their keys. -1 (ERROR_USAGE) when one is beyond the loopback
 * and has none, unless --insecure was typed. The assembly is zeroed before and released after, also
 * on failure. */
int assembly_init(struct assembly *assembly, const struct plan *plan, const struct options *options,
		  struct error *err);

/* For a run that is taken up again, before it is gathered: its name, its secret, and where its
 * local agents have theirs. */
void assembly_adopt(struct assembly *assembly, const struct journal_content *before);

/* Starts local agents, connects to all, leases them, meets their clocks. fleet.run, on_timeline and
 * context are set before. */
int assembly_gather(struct assembly *assembly, const struct plan *plan, const volatile int *stop,
		    struct error *err);

/* Lets all hosts go: they remove what they made. */
void assembly_dismiss(struct assembly *assembly);
/* Closes connections, ends local agents, frees. */
void assembly_release(struct assembly *assembly);

/* A name for a run: "20261130-191502-3fa9" sorts by time, and two in one second differ. */
void assembly_name_run(char *name, size_t size);

/* SIGINT and SIGTERM set *interrupted once; the second ends the program. Call once. */
const volatile int *assembly_take_signals(void);

#endif
