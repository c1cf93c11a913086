#include "agent/phase_run_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"

/* ---- states ---- */

static void fail_locked(struct phase_run *run, enum failed_kind kind, const char *code,
			const char *target, const char *text)
{
	if (run->state == PHASE_RUN_FAILED)
		return;
	run->failed = (struct failed){.kind = kind,
				      .code = mem_text(code),
				      .target = mem_text(target),
				      .text = mem_text(text)};
	run->state = PHASE_RUN_FAILED;
}

static void fail(struct phase_run *run, const char *target, const struct error *err)
{
	bool broken = err->kind == ERROR_BROKEN;

	pthread_mutex_lock(&run->lock);
	if (run->is_stopped)
		fail_locked(run, FAILED_BROKEN, NULL, NULL, run->why);
	else
		fail_locked(run, broken ? FAILED_BROKEN : FAILED_REFUSED, err->code, target,
			    err->text);
	pthread_mutex_unlock(&run->lock);
	gate_shut(&run->gate);
}

/* False when it was stopped before. */
static bool become_ready(struct phase_run *run)
{
	pthread_mutex_lock(&run->lock);
	bool is_ready = !run->is_stopped;
	if (is_ready)
		run->state = PHASE_RUN_READY;
	else
		fail_locked(run, FAILED_BROKEN, NULL, NULL, run->why);
	pthread_mutex_unlock(&run->lock);
	return is_ready;
}

static void become(struct phase_run *run, enum phase_run_state state)
{
	pthread_mutex_lock(&run->lock);
	run->state = state;
	pthread_mutex_unlock(&run->lock);
}

enum phase_run_state phase_run_state(struct phase_run *run)
{
	pthread_mutex_lock(&run->lock);
	enum phase_run_state state = run->state;
	pthread_mutex_unlock(&run->lock);
	return state;
}

void phase_run_enter_layout(struct phase_run *run)
{
	pthread_mutex_lock(&run->lock);
	run->is_laying_out = true;
	if (run->is_stopped)
		fail_locked(run, FAILED_BROKEN, NULL, NULL, run->why);
	pthread_mutex_unlock(&run->lock);
}

bool phase_run_leave_layout(struct phase_run *run)
{
	pthread_mutex_lock(&run->lock);
	run->is_laying_out = false;
	bool is_abandoned = run->is_abandoned;
	pthread_mutex_unlock(&run->lock);
	return !is_abandoned;
}

/* ---- life ---- */

/* No thread but the caller's is left. */
static void destroy(struct phase_run *run)
{
	for (uint32_t i = 0; i < run->crews_count; i++) {
		crew_join(&run->crews[i]);
		crew_release(&run->crews[i]);
	}
	free(run->crews);
	layout_release(&run->layout);
	phase_targets_release(&run->targets);
	device_counters_release(&run->devices);
	record_release(&ready_table, &run->ready);
	record_release(&prepare_table, &run->prepare);
	free(run->failed.code);
	free(run->failed.target);
	free(run->failed.text);
	free(run->why);
	free(run->outcome_text);
	free(run->host);
	punctual_release(&run->punctual);
	clock_map_release(&run->map);
	gate_release(&run->gate);
	pthread_mutex_destroy(&run->lock);
	free(run);
}

/* After is_laying_out has become false the run is joined, unless it was abandoned before. */
static bool is_abandoned(struct phase_run *run)
{
	pthread_mutex_lock(&run->lock);
	bool abandoned = run->is_abandoned;
	pthread_mutex_unlock(&run->lock);
	return abandoned;
}

static void *helper_main(void *context)
{
	struct phase_run *run = context;
	struct error err = {0};
	const char *target = NULL;

	platform_thread_name("phase");
	if (phase_prepare(run, &target, &err)) {
		fail(run, target, &err);
		if (is_abandoned(run))
			destroy(run);
		return NULL;
	}
	if (!become_ready(run) || !gate_wait(&run->gate)) {
		gate_shut(&run->gate);
		return NULL;
	}
	/* The start is still a moment off: what others did at the barrier does not count. */
	device_counters_again(&run->devices, clock_map_start(&run->map));
	phase_conclude(run);
	become(run, PHASE_RUN_ENDED);
	return NULL;
}

struct phase_run *phase_run_new(const struct prepare *prepare, const char *host,
				const struct agent_config *config, struct made_files *files,
				struct written *written)
{
	struct phase_run *run = mem_new(1, sizeof(*run));

	record_copy(&prepare_table, &run->prepare, prepare);
	if (!run->prepare.phase.name)
		run->prepare.phase.name = mem_text("");
	run->host = mem_text(host);
	run->config = config;
	run->files = files;
	run->written = written;
	gate_init(&run->gate);
	clock_map_init(&run->map, prepare->bucket_ns);
	pthread_mutex_init(&run->lock, NULL);
	int failed = pthread_create(&run->helper, NULL, helper_main, run);
	run->has_helper = !failed;
	if (failed) {
		struct error err;
		error_set(&err, ERROR_REFUSED, "cannot start a thread to prepare the phase: %s",
			  strerror(failed));
		fail(run, NULL, &err);
	}
	return run;
}

void phase_run_free(struct phase_run *run)
{
	if (!run)
		return;
	gate_shut(&run->gate);
	pthread_mutex_lock(&run->lock);
	run->is_abandoned = run->is_laying_out;
	bool abandoned = run->is_abandoned;
	if (abandoned)
		pthread_detach(run->helper);
	pthread_mutex_unlock(&run->lock);
	if (abandoned)
		return;
	if (run->has_helper)
		pthread_join(run->helper, NULL);
	destroy(run);
}

/* An end of our own where the controller names none: a timed phase never lacks one. */
static bool begin_map(struct phase_run *run, const struct start *start)
{
	const struct border border = {.at_ns = start->at_ns, .drift_ppb = start->drift_ppb};
	const struct prepare *prepare = &run->prepare;
	struct start whole = *start;

	if (!whole.end_ns && prepare->phase.runtime)
		whole.end_ns = border_after(&border, phase_ramp_buckets(run) * prepare->bucket_ns +
							     prepare->phase.runtime);
	return clock_map_begin(&run->map, &whole);
}

static void stop_locked(struct phase_run *run, enum done_state state, const char *why)
{
	if (run->is_stopped)
		return;
	run->is_stopped = true;
	run->stop_state = state;
	run->why = mem_text(why);
	atomic_store(&run->stop, true);
}

/* What is impossible is started and stopped at once: no worker submits anything. */
void phase_run_start(struct phase_run *run, const struct start *start)
{
	const struct start at_once = {.at_ns = clock_now_ns()};

	if (phase_run_state(run) != PHASE_RUN_READY)
		return;
	bool is_possible = begin_map(run, start);
	if (!is_possible)
		begin_map(run, &at_once);
	pthread_mutex_lock(&run->lock);
	run->state = PHASE_RUN_RUNNING;
	if (!is_possible)
		stop_locked(run, DONE_BROKEN, "the start's instants are impossible");
	pthread_mutex_unlock(&run->lock);
	gate_open(&run->gate);
}

bool phase_run_amend(struct phase_run *run, const struct amend *amend)
{
	return phase_run_state(run) == PHASE_RUN_RUNNING &&
	       clock_map_amend(&run->map, amend, clock_now_ns());
}

void phase_run_stop(struct phase_run *run, enum done_state state, const char *why)
{
	pthread_mutex_lock(&run->lock);
	bool can = run->state != PHASE_RUN_FAILED && run->state != PHASE_RUN_ENDED;
	if (can)
		stop_locked(run, state, why ? why : "stopped");
	if (run->is_stopped && (run->state == PHASE_RUN_READY || run->is_laying_out))
		fail_locked(run, FAILED_BROKEN, NULL, NULL, run->why);
	bool is_before_start = run->state == PHASE_RUN_FAILED;
	pthread_mutex_unlock(&run->lock);
	if (is_before_start)
		gate_shut(&run->gate);
}

/* ---- questions ---- */

const struct failed *phase_run_failure(const struct phase_run *run)
{
	return &run->failed;
}

const char *phase_run_preparing(const struct phase_run *run)
{
	return run->targets.at;
}

const struct ready *phase_run_ready(const struct phase_run *run)
{
	return &run->ready;
}

bool phase_run_progress(struct phase_run *run, struct progress *progress, uint64_t *moved_ns)
{
	return phase_run_state(run) == PHASE_RUN_PREPARING &&
	       layout_progress(&run->layout, progress, moved_ns);
}

void phase_run_harvest(struct phase_run *run, struct timeline *into)
{
	enum phase_run_state state = phase_run_state(run);

	if (state != PHASE_RUN_RUNNING && state != PHASE_RUN_ENDED)
		return;
	for (uint32_t i = 0; i < run->crews_count; i++)
		crew_collect(&run->crews[i], i, into);
}

uint64_t phase_run_moved(const struct phase_run *run)
{
	return device_counters_moved(&run->devices);
}

bool phase_run_stuck(struct phase_run *run, uint64_t now_ns, const char **target,
		     uint64_t *since_ns)
{
	uint64_t longest = 0;

	if (phase_run_state(run) != PHASE_RUN_RUNNING)
		return false;
	for (uint32_t i = 0; i < run->crews_count; i++) {
		uint64_t waiting = crew_waiting_ns(&run->crews[i], now_ns);
		if (waiting <= longest)
			continue;
		longest = waiting;
		*target = run->crews[i].target->target->name;
	}
	*since_ns = longest;
	return longest > 0;
}

uint64_t phase_run_io_timeout(const struct phase_run *run)
{
	return run->prepare.io_timeout_ns;
}

bool phase_run_outstanding(struct phase_run *run, uint64_t now_ns,
			   struct phase_run_request *request)
{
	struct outstanding_request oldest;
	bool found = false;

	if (phase_run_state(run) != PHASE_RUN_RUNNING)
		return false;
	for (uint32_t i = 0; i < run->crews_count; i++) {
		const struct load_target *target = run->crews[i].target;
		if (!crew_outstanding(&run->crews[i], run->prepare.io_timeout_ns, now_ns,
				      &oldest) ||
		    (found && oldest.since_ns >= request->since_ns))
			continue;
		*request = (struct phase_run_request){.target = target->target->name,
						      .path = target->parts[0]->path,
						      .offset = oldest.offset,
						      .since_ns = oldest.since_ns,
						      .waited_ns = now_ns - oldest.since_ns};
		found = true;
	}
	return found;
}
