#include "controller/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/random.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/clock_record.h"
#include "controller/collect.h"
#include "controller/describe.h"
#include "controller/assembly.h"
#include "controller/progress.h"
#include "controller/report/report.h"
#include "controller/run_phase.h"
#include "controller/store.h"
#include "proto/version.h"

struct run {
	const struct options *options;
	struct plan *plan;
	struct assembly assembly;
	const volatile int *interrupted;
	struct result result;
	struct result_series series;
	struct collect collect;
	struct progress_line progress;
	struct bytes exchanges; /* clock.bin */
	struct sign_key *key;   /* NULL: MANIFEST.json is not signed */
	char *directory;
	bool began; /* a host was told to start */
};

/* ---- before ---- */

static void describe_run(struct run *run)
{
	struct result *result = &run->result;
	char started[CLOCK_TEXT_SIZE];

	clock_wall_text(started);
	result->schema = mem_text(RESULT_SCHEMA);
	result->run = mem_text(run->assembly.fleet.run);
	result->started_at = mem_text(started);
	result->version = mem_text(version_text());
	result->min_window_ns = run->plan->min_window;
	for (uint32_t i = 0; i < run->assembly.keyring.count; i++)
		result->insecure = result->insecure || run->assembly.keyring.hosts[i].insecure;
	result->plan = run->plan;
}

static int set_up(struct run *run, struct error *err)
{
	run->assembly.fleet.on_timeline = collect_timeline;
	run->assembly.fleet.context = &run->collect;
	if (assembly_gather(&run->assembly, run->plan, run->interrupted, err) < 0)
		return -1;
	run->collect = (struct collect){
		.result = &run->result, .series = &run->series, .run_start_ns = clock_now_ns()};
	describe_hosts(&run->result, &run->assembly.fleet);
	progress_say(&run->progress, "%u host%s ready: run %s", run->assembly.fleet.count,
		     run->assembly.fleet.count == 1 ? "" : "s", run->assembly.fleet.run);
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

/* Each host's own words as soon as they are known: the report comes later. One that was only
 * stopped for the sake of another has nothing to say. */
static void log_states(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (host->text && !text_is(host->state, "aborted"))
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
			if (end != RUN_PHASE_MEASURED || !fleet_alive(&run->assembly.fleet))
				return end;
		}
	}
	return end;
}

static void run_phases(struct run *run)
{
	struct run_phase phase = {.fleet = &run->assembly.fleet,
				  .collect = &run->collect,
				  .plan = run->plan,
				  .progress = &run->progress,
				  .interrupted = run->interrupted,
				  .seed = random_seed()};
	enum run_phase_end end = check_phases(run, &phase);

	if (end == RUN_PHASE_MEASURED)
		end = run_trials(run, &phase);
	if (end == RUN_PHASE_MEASURED || !run->result.phases_count)
		return;
	struct result_phase *last = &run->result.phases[run->result.phases_count - 1];
	if (end == RUN_PHASE_INTERRUPTED)
		findings_add(&run->result, "INTERRUPTED", NULL, last, NULL, NULL, NULL,
			     "the run was interrupted by the person in this phase");
	if (end == RUN_PHASE_REFUSED && !run->began) {
		const char *host, *text = refusal_of(last, &host);
		run->result.outcome = mem_text("REFUSED");
		run->result.reason = phase.err.kind == ERROR_REFUSED
					     ? mem_text(phase.err.text)
					     : mem_format("host '%s': %s", host, text);
	}
}

/* ---- after ---- */

static void report_release(struct run *run, const struct fleet_host *host)
{
	for (uint32_t l = 0; l < host->released.left_count; l++)
		findings_add(&run->result, "FILE_LEFT", NULL, NULL, host->plan->name, NULL, NULL,
			     "%s", host->released.left[l].name);
	if (host->status == FLEET_STATUS_LEASED && !host->is_released)
		findings_add(&run->result, "NOT_RELEASED", NULL, NULL, host->plan->name, NULL, NULL,
			     "the host had not removed its files after %llu s",
			     (unsigned long long)(FLEET_RELEASE_NS / NS_PER_S));
}

static void release_fleet(struct run *run)
{
	assembly_dismiss(&run->assembly);
	for (uint32_t i = 0; i < run->assembly.fleet.count; i++)
		report_release(run, &run->assembly.fleet.hosts[i]);
}

/* The raw exchanges. */
static void keep_exchanges(struct run *run)
{
	struct clock_record record = {0};

	for (uint32_t i = 0; i < run->assembly.fleet.count; i++) {
		struct clock_record_host *host = RECORD_APPEND(record.hosts, record.count);
		host->host = mem_text(run->assembly.fleet.hosts[i].plan->name);
		host->samples = clock_exchange_copy(run->assembly.fleet.clocks, i, 0, &host->count);
	}
	clock_record_pack(&record, &run->exchanges);
	clock_record_release(&record);
}

/* The results written, under their own name or, where that has no room, elsewhere. */
static int store(struct run *run)
{
	struct error err;

	if (store_add(run->directory, "clock.bin", &run->exchanges, &err) == 0 &&
	    store_finish(run->directory, &run->result, &run->series, run->key, &err) == 0)
		return 0;
	log_error("%s", err.text);
	char *rescued = store_rescue(run->directory, run->assembly.fleet.run, &run->exchanges,
				     &run->result, &run->series, run->key, &err);
	if (rescued)
		log_error("all that was measured is in '%s' instead: move it where it shall stay",
			  rescued);
	else
		log_error("nor elsewhere (%s): the report below is all that there is", err.text);
	free(run->directory);
	run->directory = rescued;
	return -1;
}

static int report(struct run *run)
{
	int code;

	findings_compute(&run->result, &run->series);
	gates_compute(&run->result);
	code = result_exit_code(gates_outcome(&run->result));
	if (store(run) < 0)
		code = 6;
	report_text(&run->result, &run->series, run->directory, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("cannot write the report to standard output");
		code = code ? code : 6;
	}
	if (run->directory && !run->key)
		progress_say(
			&run->progress,
			"MANIFEST.json is not signed: `muster keygen --sign NAME` makes a key, "
			"--sign NAME.sign.key uses it");
	return code;
}

static void release_run(struct run *run)
{
	if (run->collect.result)
		collect_release(&run->collect);
	run->result.plan = NULL; /* the caller's */
	record_release(&result_table, &run->result);
	assembly_release(&run->assembly);
	free(run->exchanges.data);
	sign_key_free(run->key);
	free(run->directory);
}

/* Read before any host is asked: hours of load for a key that cannot sign help nobody. */
static int read_key(struct run *run, struct error *err)
{
	const char *path =
		run->options->sign_key ? run->options->sign_key : getenv("MUSTER_SIGN_KEY");

	if (!path || !*path)
		return 0;
	run->key = sign_key_read_secret(path, err);
	return run->key ? 0 : -1;
}

int run_execute(const struct options *options, struct plan *plan)
{
	struct run run = {.options = options, .plan = plan};
	struct fleet *fleet = &run.assembly.fleet;
	struct error err = {0};
	int code = 6;

	run.interrupted = assembly_take_signals();
	progress_init(&run.progress, options->quiet);
	assembly_name_run(fleet->run, sizeof(fleet->run));
	if (read_key(&run, &err) < 0 || assembly_init(&run.assembly, plan, options, &err) < 0 ||
	    store_begin(options->out, fleet->run, options->operand, &run.directory, &err) < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? 2 : 6;
		goto out;
	}
	describe_run(&run);
	if (set_up(&run, &err) < 0) {
		log_error("%s", err.text);
		assembly_dismiss(&run.assembly);
		store_abandon(run.directory);
		goto out;
	}
	run_phases(&run);
	/* First: all of a long run's exchanges take longer to fit than agents wait for a heartbeat.
	 */
	release_fleet(&run);
	describe_clocks(&run.result, fleet, run.collect.run_start_ns);
	keep_exchanges(&run);
	code = report(&run);
out:
	release_run(&run);
	return code;
}
