#include "controller/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/random.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/collect.h"
#include "controller/fleet.h"
#include "controller/local.h"
#include "controller/progress.h"
#include "controller/report/report.h"
#include "controller/run_phase.h"
#include "controller/store.h"
#include "proto/endpoint.h"
#include "proto/version.h"

#define JOIN_PROBES      16
#define JOIN_PROBE_NS    (2 * NS_PER_S)
#define RELEASE_NS       (120 * NS_PER_S)
#define RELEASE_AGAIN_NS NS_PER_S

struct run {
	const struct options *options;
	struct plan *plan;
	struct plan_hosts hosts;
	struct local_agents local;
	struct fleet fleet;
	struct result result;
	struct result_series series;
	struct collect collect;
	struct progress_line progress;
	char *directory;
	bool began; /* a host was told to start */
};

/* ---- signals ---- */

static volatile int interrupted;

static void on_signal(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	/* The second one ends the program: agents notice by themselves. */
	interrupted = 1;
	sigaction(number, &action, NULL);
}

static void take_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

/* ---- before ---- */

/* "20261130-191502-3fa9": sorts by time, and two runs in one second differ. */
static void name_run(char *name, size_t size)
{
	time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	size_t used = strftime(name, size, "%Y%m%d-%H%M%S", &parts);
	snprintf(name + used, size - used, "-%04x", (unsigned)(random_seed() & 0xffff));
}

/* Until there are keys, a network is only used when the person says so. */
static int check_network(const struct run *run)
{
	for (uint32_t i = 0; i < run->hosts.count; i++) {
		const struct plan_host *host = &run->hosts.hosts[i];
		char *endpoint = mem_format("tcp://%s:1", host->name);
		bool fine = host->local || run->options->insecure || endpoint_is_loopback(endpoint);
		free(endpoint);
		if (fine)
			continue;
		log_error("host '%s' is beyond the loopback, and nothing is encrypted or "
			  "authenticated yet: "
			  "type --insecure here and at the agents on a network you trust",
			  host->name);
		return -1;
	}
	return 0;
}

static void describe_run(struct run *run)
{
	struct result *result = &run->result;
	char started[CLOCK_TEXT_SIZE];

	clock_wall_text(started);
	result->schema = mem_text(RESULT_SCHEMA);
	result->run = mem_text(run->fleet.run);
	result->started_at = mem_text(started);
	result->version = mem_text(version_text());
	result->min_window_ns = run->plan->min_window;
	result->insecure = run->options->insecure;
	result->plan = run->plan;
}

static void describe_hosts(struct run *run)
{
	for (uint32_t i = 0; i < run->fleet.count; i++) {
		const struct fleet_host *from = &run->fleet.hosts[i];
		struct result_host *host =
			RECORD_APPEND(run->result.hosts, run->result.hosts_count);
		const struct plan_agents *agents = from->plan->agents;
		host->host = mem_text(from->plan->name);
		host->os = mem_text(from->facts.system);
		host->kernel = mem_text(from->facts.kernel);
		host->boot_id = mem_text(from->facts.boot_id);
		host->cpus = from->facts.cpus;
		host->memory_bytes = from->facts.memory_bytes;
		host->uptime_s = from->facts.uptime_s;
		host->insecure = from->facts.insecure;
		for (uint32_t l = 0; l < agents->labels_count; l++) {
			struct plan_label *label = RECORD_APPEND(host->labels, host->labels_count);
			record_copy(&plan_label_table, label, &agents->labels[l]);
		}
		clock_sync_estimate(&from->clock, clock_now_ns(), &host->clock.offset_ns,
				    &host->clock.bound_ns);
		host->clock.stamp = mem_text("zeromq");
		host->clock.exchanges = from->clock.exchanges;
	}
}

static int set_up(struct run *run, struct error *err)
{
	uint64_t end;

	if (local_start(&run->local, &run->hosts, err) < 0)
		return -1;
	uint16_t *ports = local_ports(&run->local);
	int opened = fleet_open(&run->fleet, run->plan, &run->hosts, ports, err);
	free(ports);
	if (opened < 0)
		return -1;
	run->fleet.on_timeline = collect_timeline;
	run->fleet.context = &run->collect;
	if (fleet_join(&run->fleet, &interrupted, err) < 0)
		return -1;
	fleet_probe(&run->fleet, JOIN_PROBES);
	end = clock_now_ns() + JOIN_PROBE_NS;
	while (!fleet_is_probed(&run->fleet) && clock_now_ns() < end)
		fleet_pump(&run->fleet, 20);
	run->collect = (struct collect){
		.result = &run->result, .series = &run->series, .run_start_ns = clock_now_ns()};
	describe_hosts(run);
	progress_say(&run->progress, "%u host%s ready: run %s", run->fleet.count,
		     run->fleet.count == 1 ? "" : "s", run->fleet.run);
	return 0;
}

/* ---- phases ---- */

/* The sentence of the first host that said no. */
static const char *refusal_of(const struct result_phase *phase, const char **host)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		if (phase->hosts[h].state && strcmp(phase->hosts[h].state, "refused") == 0) {
			*host = phase->hosts[h].host;
			return phase->hosts[h].text;
		}
	*host = "?";
	return "no reason given";
}

/* Each host's own words as soon as they are known: the report comes later. */
static void log_states(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (host->text)
			log_error("phase '%s': host '%s' %s: %s", phase->name, host->host,
				  host->state, host->text);
	}
}

/* Every phase once, before the first begins: a refusal is known before hours of load, not after. */
static enum run_phase_end check_phases(struct run *run, struct run_phase *phase)
{
	enum run_phase_end end = RUN_PHASE_MEASURED;

	for (uint32_t p = 0; p < run->plan->phases_count && end == RUN_PHASE_MEASURED; p++)
		end = run_phase_check(phase, &run->plan->phases[p], p + 1);
	if (run->result.phases_count)
		log_states(&run->result.phases[0]);
	return end;
}

static enum run_phase_end run_trials(struct run *run, struct run_phase *phase)
{
	enum run_phase_end end = RUN_PHASE_MEASURED;
	uint32_t number = run->plan->phases_count;

	for (uint32_t trial = 1; trial <= run->plan->repeat; trial++) {
		for (uint32_t p = 0; p < run->plan->phases_count; p++) {
			const struct phase *planned = &run->plan->phases[p];
			progress_say(&run->progress, "phase %s (%u of %u, trial %u of %u)",
				     planned->name, p + 1, run->plan->phases_count, trial,
				     run->plan->repeat);
			end = run_phase(phase, planned, ++number, trial, &run->began);
			progress_end(&run->progress);
			log_states(&run->result.phases[run->result.phases_count - 1]);
			if (end != RUN_PHASE_MEASURED || !fleet_alive(&run->fleet))
				return end;
		}
	}
	return end;
}

static void run_phases(struct run *run)
{
	struct run_phase phase = {.fleet = &run->fleet,
				  .collect = &run->collect,
				  .plan = run->plan,
				  .progress = &run->progress,
				  .interrupted = &interrupted,
				  .seed = random_seed()};
	enum run_phase_end end = check_phases(run, &phase);

	if (end == RUN_PHASE_MEASURED)
		end = run_trials(run, &phase);
	if (end == RUN_PHASE_MEASURED || !run->result.phases_count)
		return;
	struct result_phase *last = &run->result.phases[run->result.phases_count - 1];
	if (end == RUN_PHASE_INTERRUPTED)
		findings_add(&run->result, "INTERRUPTED", "INVALID", last, NULL, NULL,
			     "run it again and let it end",
			     "the run was interrupted by the person in this phase");
	if (end == RUN_PHASE_REFUSED && !run->began) {
		const char *host, *text = refusal_of(last, &host);
		run->result.outcome = mem_text("REFUSED");
		run->result.reason = mem_format("host '%s': %s", host, text);
	}
}

/* ---- after ---- */

static bool is_releasing(const struct fleet *fleet)
{
	for (uint32_t i = 0; i < fleet->count; i++)
		if (fleet->hosts[i].status == FLEET_STATUS_LEASED && !fleet->hosts[i].is_released)
			return true;
	return false;
}

/* Asks until each has answered: an agent that still winds a phase down does not take it yet. */
static void release_fleet(struct run *run)
{
	struct fleet *fleet = &run->fleet;
	struct release body = {.keep = false};
	uint64_t end = clock_now_ns() + RELEASE_NS, asked = 0;

	fleet_begin_phase(fleet, 0, 0);
	while (is_releasing(fleet) && clock_now_ns() < end) {
		if (clock_now_ns() - asked > RELEASE_AGAIN_NS) {
			asked = clock_now_ns();
			for (uint32_t i = 0; i < fleet->count; i++)
				if (!fleet->hosts[i].is_released &&
				    fleet->hosts[i].status == FLEET_STATUS_LEASED)
					fleet_send(fleet, &fleet->hosts[i], MESSAGE_RELEASE, &body);
		}
		fleet_pump(fleet, 20);
	}
	for (uint32_t i = 0; i < fleet->count; i++) {
		const struct fleet_host *host = &fleet->hosts[i];
		for (uint32_t l = 0; l < host->released.left_count; l++)
			findings_add(&run->result, "FILE_LEFT", "WARN", NULL, host->plan->name,
				     NULL, "remove it by hand when it is no longer wanted", "%s",
				     host->released.left[l].name);
	}
}

static int report(struct run *run)
{
	struct error err;
	int code;

	findings_compute(&run->result, &run->series);
	gates_compute(&run->result);
	code = result_exit_code(gates_outcome(&run->result));
	char *directory = run->directory;
	if (store_finish(directory, &run->result, &run->series, &err) < 0) {
		log_error("%s", err.text);
		directory = NULL;
		code = 6;
	}
	report_text(&run->result, &run->series, directory, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("cannot write the report to standard output");
		code = code ? code : 6;
	}
	return code;
}

static void release_run(struct run *run)
{
	if (run->collect.result)
		collect_release(&run->collect);
	run->result.plan = NULL; /* the caller's */
	record_release(&result_table, &run->result);
	plan_hosts_release(&run->hosts);
	free(run->directory);
}

int run_execute(const struct options *options, struct plan *plan)
{
	struct run run = {.options = options, .plan = plan};
	struct error err = {0};
	int code = 0;

	plan_hosts_expand(&run.hosts, plan);
	if (check_network(&run) < 0) {
		plan_hosts_release(&run.hosts);
		return 2;
	}
	take_signals();
	progress_init(&run.progress, options->quiet);
	name_run(run.fleet.run, sizeof(run.fleet.run));
	if (store_begin(options->out, run.fleet.run, options->plan, &run.directory, &err) < 0) {
		log_error("%s", err.text);
		plan_hosts_release(&run.hosts);
		return 6;
	}
	describe_run(&run);
	bool up = set_up(&run, &err) == 0;
	if (up)
		run_phases(&run);
	if (run.fleet.hosts)
		release_fleet(&run);
	fleet_close(&run.fleet);
	local_stop(&run.local);
	if (up) {
		code = report(&run);
	} else {
		log_error("%s", err.text);
		store_abandon(run.directory);
		code = 6;
	}
	release_run(&run);
	return code;
}
