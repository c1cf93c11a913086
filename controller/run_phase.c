#include "controller/run_phase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "controller/preparation.h"

#define PUMP_MS   20
#define STUCK_NS  (120 * NS_PER_S) /* at least; the agent says it first, after io_timeout */
#define SETTLE_NS (30 * NS_PER_S)
#define ATTEMPTS  3

/* ---- the hosts' part in it ---- */

static bool is_in(const struct fleet_host *host)
{
	return host->in_phase && host->status == FLEET_STATUS_LEASED;
}

static uint32_t count_in(const struct fleet *fleet, bool (*is)(const struct fleet_host *))
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < fleet->count; i++)
		count += is_in(&fleet->hosts[i]) && is(&fleet->hosts[i]);
	return count;
}

static bool any(const struct fleet_host *host)
{
	(void)host;
	return true;
}

static bool has_failed(const struct fleet_host *host)
{
	return host->is_failed;
}

static bool is_late(const struct fleet_host *host)
{
	return host->is_late;
}

static uint32_t count_lost(const struct fleet *fleet)
{
	uint32_t lost = 0;

	for (uint32_t i = 0; i < fleet->count; i++)
		lost += fleet->hosts[i].in_phase && fleet->hosts[i].status == FLEET_STATUS_LOST;
	return lost;
}

static bool must_give_up(const struct run_phase *run)
{
	return *run->interrupted ||
	       (run->plan->fleet.on_host_loss == PLAN_ON_HOST_LOSS_ABORT && count_lost(run->fleet));
}

/* Hosts that answer heartbeats and yet have moved nothing since the latest of their last step and
 * `from_ns`. */
static void lose_stuck(struct run_phase *run, bool (*is)(const struct fleet_host *),
		       uint64_t from_ns, const char *what)
{
	uint64_t now = clock_now_ns();
	uint64_t limit =
		STUCK_NS > 2 * run->plan->io_timeout ? STUCK_NS : 2 * run->plan->io_timeout;

	for (uint32_t i = 0; i < run->fleet->count; i++) {
		struct fleet_host *host = &run->fleet->hosts[i];
		uint64_t since = host->moved_ns > from_ns ? host->moved_ns : from_ns;
		if (!is_in(host) || !is(host) || now < since || now - since < limit)
			continue;
		char *why = mem_format("I/O is stuck: it answers, but %s has not moved for %llu s",
				       what, (unsigned long long)(limit / NS_PER_S));
		fleet_lose(run->fleet, host, why);
		free(why);
	}
}

/* Stops what is under way everywhere and waits until it has stopped, at most SETTLE_NS. */
static void abort_all(struct run_phase *run, char *reason)
{
	struct abort_load body = {.reason = reason};
	uint64_t end = clock_now_ns() + SETTLE_NS;

	for (uint32_t i = 0; i < run->fleet->count; i++)
		if (fleet_host_is_unsettled(&run->fleet->hosts[i]))
			run->fleet->hosts[i].is_stopped = true;
	fleet_ask_all(run->fleet, MESSAGE_ABORT, &body);
	while (count_in(run->fleet, fleet_host_is_unsettled) && clock_now_ns() < end)
		fleet_pump(run->fleet, PUMP_MS);
	for (uint32_t i = 0; i < run->fleet->count; i++) {
		struct fleet_host *host = &run->fleet->hosts[i];
		if (is_in(host) && fleet_host_is_unsettled(host))
			fleet_lose(run->fleet, host,
				   "told to stop, it did not within 30 s: I/O is stuck");
	}
}

/* ---- prepare ---- */

static void send_prepare(struct run_phase *run, const struct phase *phase, struct fleet_host *host,
			 bool check)
{
	struct prepare body;

	preparation_init(&body, run->plan, phase, host->plan, host->facts.memory_bytes);
	body.run = run->fleet->run;
	body.seed = run->seed;
	body.number = run->fleet->phase;
	body.trial = run->trial;
	body.plan_crc = run->plan_crc;
	body.run_start_ns = run->collect ? run->collect->run_start_ns : 0;
	body.kept_phase = run->fleet->kept_phase;
	body.check = check;
	fleet_ask(run->fleet, host, MESSAGE_PREPARE, &body);
	preparation_release(&body);
}

static void show_preparing(struct run_phase *run, const struct phase *phase)
{
	uint64_t done = 0, total = 0;
	char what[256];

	for (uint32_t i = 0; i < run->fleet->count; i++) {
		const struct fleet_host *host = &run->fleet->hosts[i];
		if (!is_in(host))
			continue;
		done += host->progress.done_bytes;
		total += host->progress.total_bytes;
	}
	snprintf(what, sizeof(what), "%s: preparing, %u of %u hosts ready", phase->name,
		 count_in(run->fleet, any) - count_in(run->fleet, fleet_host_is_preparing),
		 count_in(run->fleet, any));
	progress_show(run->progress, what, total ? (double)done / (double)total : -1, done, 0);
}

static void join_phase(struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct fleet_host *host = &fleet->hosts[i];
		host->in_phase = host->status == FLEET_STATUS_LEASED;
	}
}

static void prepare(struct run_phase *run, const struct phase *phase, bool check)
{
	struct fleet *fleet = run->fleet;

	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].in_phase)
			send_prepare(run, phase, &fleet->hosts[i], check);
	/* A look at everything waits for each host's reasons; a lay-out of hours does not. */
	while (count_in(fleet, fleet_host_is_preparing) &&
	       (check || !count_in(fleet, has_failed)) && !must_give_up(run)) {
		fleet_pump(fleet, PUMP_MS);
		lose_stuck(run, fleet_host_is_preparing, 0, "preparing");
		if (!check)
			show_preparing(run, phase);
	}
}

/* ---- start ---- */

static void start(struct run_phase *run, const struct phase *phase)
{
	uint64_t ramp = phase_ramp_ns(phase, run->plan->bucket);
	uint64_t length = phase->runtime ? ramp + phase->runtime : 0;

	phase_clock_start(&run->clock, run->fleet, length, run->plan->bucket);
	run->collect->start_ns = run->clock.start_ns;
	const struct journal_started started = {.number = run->fleet->phase,
						.attempt = run->fleet->attempt,
						.start_ns = run->clock.start_ns};
	journal_start_phase(run->journal, &started);
	journal_add_clocks(run->journal, run->fleet);
}

/* ---- run ---- */

static void show_running(struct run_phase *run, const struct phase *phase)
{
	uint64_t now = clock_now_ns(), begin = run->collect->start_ns;
	uint64_t length = phase->ramp + phase->runtime;
	char what[256];
	double share = -1;
	uint64_t left = 0;

	if (now < begin)
		return;
	if (length) {
		share = (double)(now - begin) / (double)length;
		left = now - begin < length ? length - (now - begin) : 0;
	}
	snprintf(what, sizeof(what), "%s: %u of %u hosts under load", phase->name,
		 count_in(run->fleet, fleet_host_is_running),
		 count_in(run->fleet, any) + count_lost(run->fleet));
	progress_show(run->progress, what, share, run->collect->bytes, left);
}

/* A host whose own part broke (disk full) takes the phase with it: the others would go on alone. */
static bool is_broken(const struct fleet_host *host)
{
	return host->is_done && host->done.state == DONE_BROKEN;
}

static bool must_break_off(const struct run_phase *run)
{
	return run->plan->fleet.on_host_loss == PLAN_ON_HOST_LOSS_ABORT &&
	       count_in(run->fleet, is_broken);
}

/* Until all are done; a host that is late, broken by itself or lost ends it for all when it must.
 */
static void watch(struct run_phase *run, const struct phase *phase)
{
	struct fleet *fleet = run->fleet;
	uint64_t planned_end = run->collect->start_ns + phase->ramp + phase->runtime;

	while (count_in(fleet, fleet_host_is_running) && !count_in(fleet, is_late) &&
	       !must_give_up(run) && !must_break_off(run)) {
		fleet_pump(fleet, PUMP_MS);
		phase_clock_follow(&run->clock);
		journal_follow_clocks(run->journal, run->fleet);
		lose_stuck(run, fleet_host_is_running, planned_end, "its load");
		show_running(run, phase);
	}
}

static char *lost_text(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].in_phase && fleet->hosts[i].status == FLEET_STATUS_LOST)
			return mem_format("host '%s' was lost", fleet->hosts[i].plan->name);
	return mem_text("a host was lost");
}

static enum run_phase_end give_up(struct run_phase *run)
{
	char *why = *run->interrupted ? mem_text("interrupted") : lost_text(run->fleet);

	progress_say(run->progress, "stopping the load: %s", why);
	abort_all(run, why);
	free(why);
	return *run->interrupted ? RUN_PHASE_INTERRUPTED : RUN_PHASE_LOST;
}

/* Why the barrier was not reached. */
static enum run_phase_end not_ready(struct run_phase *run)
{
	enum run_phase_end end = RUN_PHASE_BROKEN;

	for (uint32_t i = 0; i < run->fleet->count; i++) {
		const struct fleet_host *host = &run->fleet->hosts[i];
		if (is_in(host) && host->is_failed && host->failed.kind == FAILED_REFUSED)
			end = RUN_PHASE_REFUSED;
	}
	abort_all(run, "another host could not prepare the phase");
	return end;
}

static enum run_phase_end try_once(struct run_phase *run, const struct phase *phase, uint32_t trial,
				   bool *began)
{
	join_phase(run->fleet);
	collect_begin(run->collect, run->fleet, run->plan, phase, trial, run->fleet->attempt > 1);
	prepare(run, phase, false);
	if (must_give_up(run))
		return give_up(run);
	if (count_in(run->fleet, has_failed))
		return not_ready(run);
	if (!count_in(run->fleet, any))
		return RUN_PHASE_LOST;
	if (phase_clock_arm(run->fleet, run->plan->max_start_skew, run->interrupted, &run->err) <
	    0) {
		abort_all(run, "the clocks are not known well enough");
		return RUN_PHASE_REFUSED;
	}
	if (must_give_up(run))
		return give_up(run);
	start(run, phase);
	*began = true;
	watch(run, phase);
	if (must_give_up(run))
		return give_up(run);
	if (count_in(run->fleet, is_late))
		abort_all(run, "a host had the start instant too late");
	if (must_break_off(run))
		abort_all(run, "another host could not go on");
	return count_in(run->fleet, is_broken) ? RUN_PHASE_BROKEN : RUN_PHASE_MEASURED;
}

static void note_begun(struct run_phase *run, const struct phase *phase, uint32_t trial)
{
	const struct journal_begun begun = {.number = run->fleet->phase,
					    .attempt = run->fleet->attempt,
					    .trial = trial,
					    .phase = (uint32_t)(phase - run->plan->phases)};

	run->fleet->kept_phase = journal_kept(run->journal);
	journal_begin_phase(run->journal, &begun);
}

enum run_phase_end run_phase(struct run_phase *run, const struct phase *phase, uint32_t number,
			     uint32_t trial, bool *began)
{
	enum run_phase_end end = RUN_PHASE_BROKEN;

	run->trial = trial;
	for (uint32_t attempt = 1; attempt <= ATTEMPTS; attempt++) {
		fleet_begin_phase(run->fleet, number, attempt);
		note_begun(run, phase, trial);
		end = try_once(run, phase, trial, began);
		if (end != RUN_PHASE_MEASURED || !count_in(run->fleet, is_late))
			break;
		end = RUN_PHASE_BROKEN;
		progress_say(run->progress, "%s: a host had the start instant too late, once more",
			     phase->name);
	}
	if (*began && !*run->interrupted)
		phase_clock_tail(run->fleet);
	journal_end_phase(run->journal, run->fleet, run->collect, number, end);
	collect_end(run->collect, run->fleet);
	return end;
}

enum run_phase_end run_phase_check(struct run_phase *run, const struct phase *phase,
				   uint32_t number)
{
	enum run_phase_end end = RUN_PHASE_MEASURED;

	fleet_begin_phase(run->fleet, number, 0);
	join_phase(run->fleet);
	prepare(run, phase, true);
	if (must_give_up(run))
		end = give_up(run);
	else if (count_in(run->fleet, has_failed))
		end = not_ready(run);
	else
		abort_all(run, "only looked whether it can be run");
	if (end != RUN_PHASE_MEASURED) {
		collect_begin(run->collect, run->fleet, run->plan, phase, 1, false);
		collect_end(run->collect, run->fleet);
	}
	return end;
}

void run_phase_look(struct run_phase *run, const struct phase *phase, uint32_t number,
		    void (*show)(void *context, const struct phase *phase,
				 const struct fleet *fleet),
		    void *context)
{
	fleet_begin_phase(run->fleet, number, 0);
	join_phase(run->fleet);
	prepare(run, phase, true);
	show(context, phase, run->fleet);
	abort_all(run, "only looked whether it can be run");
}
