/* recover_learn.h - makes out of agents' spools what a run's journal does not have: phases that it
 * lost, or all of them.
 *
 * A phase's file has what was asked for, when it began on the controller's clock, and each second
 * what the controller knew of the agent's (heartbeat): that stands for the exchanges. Times count
 * from a run's start that every phase names, so that those of two controllers fit. */
#ifndef MUSTER_CONTROLLER_RECOVER_LEARN_H
#define MUSTER_CONTROLLER_RECOVER_LEARN_H

#include "controller/fetch_kept.h"
#include "controller/run_inside.h"

struct learning {
	struct run *run;                 /* its plan, hosts, and their lists of what they keep */
	struct journal_content *content; /* with a head and all hosts */
	uint64_t *run_start_ns;          /* of each host, by the phase that is being read */
	uint64_t latest_ns; /* that the phase under way is known to have been under way */
	uint32_t known;     /* number of the newest phase that the journal has a beginning of */
	bool is_other_file; /* plan.yaml is another than the run's */
	char *differs;      /* how what was asked for differs from the plan; NULL: it does not */
};

/* Adds the phases that are kept and that the journal has neither the start nor a successor of:
 * fetch_kept with `watcher` fills them. `content` is lent until the release. */
void learning_begin(struct learning *learning, struct run *run, struct journal_content *content);
struct fetch_watcher learning_watcher(struct learning *learning, bool is_all);
/* When all has come: the journal as if it had been whole. */
void learning_complete(struct learning *learning);
void learning_release(struct learning *learning);

#endif
