/* phase_run_inside.h - what phase_run.c, phase_prepare.c and phase_done.c share; for them alone.
 *
 * Who may touch what: what is under `lock` is the session thread's and the helper thread's, with
 * the lock, which is never held over anything that waits. `stop` is anybody's. The rest is the
 * helper's while PREPARING and until ENDED, but for the crews' timelines and clocks, which are made
 * for two (crew.h), and for the lay-out's progress; and the session's afterwards. */
#ifndef MUSTER_AGENT_PHASE_RUN_INSIDE_H
#define MUSTER_AGENT_PHASE_RUN_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "agent/crew.h"
#include "agent/device_counters.h"
#include "agent/layout.h"
#include "agent/phase_run.h"
#include "agent/phase_targets.h"
#include "agent/punctual.h"

struct phase_run {
	struct prepare prepare;
	char *host;
	const struct agent_config *config; /* this and the next two are lent */
	struct made_files *files;
	struct written *written;
	struct gate gate;
	struct clock_map map;
	struct punctual punctual;
	pthread_t helper;
	bool has_helper;

	pthread_mutex_t lock;
	enum phase_run_state state;
	struct failed failed;
	bool is_stopped; /* by phase_run_stop */
	enum done_state stop_state;
	char *why;
	bool is_laying_out; /* the helper touches nothing that is lent */
	bool is_abandoned;  /* the helper frees the run */

	struct ready ready;
	struct phase_targets targets;
	struct layout layout;
	struct crew *crews; /* one a target */
	uint32_t crews_count;
	struct device_counters devices;
	uint64_t cpu_ns, process_read_bytes,
		process_written_bytes; /* before; then the difference */
	enum done_state outcome;
	const char *outcome_code; /* NULL: none of its own */
	char *outcome_text;

	/* Every worker looks at it before each submit: alone on its cache line. */
	char apart[CACHE_LINE];
	atomic_bool stop;
	char apart_too[CACHE_LINE];
};

/* phase_prepare.c: everything up to parked workers. `*target`: at which it failed, or NULL. */
int phase_prepare(struct phase_run *run, const char **target, struct error *err);

/* phase_done.c: the workers may go; joins them, reads the counters, finds the outcome. */
void phase_conclude(struct phase_run *run);

/* phase_prepare.c: whole buckets of the phase's ramp. */
uint32_t phase_ramp_buckets(const struct phase_run *run);

/* phase_run.c: around the lay-out. Leaving is false when the run was abandoned. */
void phase_run_enter_layout(struct phase_run *run);
bool phase_run_leave_layout(struct phase_run *run);

#endif
