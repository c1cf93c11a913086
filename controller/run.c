#include "controller/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/framed.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/product.h"
#include "common/random.h"
#include "common/text.h"
#include "controller/analysis/baseline.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/group.h"
#include "controller/clock_record.h"
#include "controller/collect.h"
#include "controller/describe.h"
#include "controller/assembly.h"
#include "controller/plan_warn.h"
#include "controller/progress.h"
#include "controller/report/github.h"
#include "controller/report/report.h"
#include "controller/replay.h"
#include "controller/run_inside.h"
#include "controller/run_file.h"
#include "controller/run_phase.h"
#include "controller/store.h"
#include "proto/version.h"

/* ---- before ---- */

void run_describe(struct run *run, const char *started_at)
{
	struct result *result = &run->result;

	result->schema = mem_text(RESULT_SCHEMA);
	result->run = mem_text(run->assembly.fleet.run);
	result->started_at = mem_text(started_at);
	result->version = mem_text(version_text());
	result->min_window_ns = run->plan->min_window;
	for (uint32_t i = 0; i < run->assembly.keyring.count; i++)
		result->insecure = result->insecure || run->assembly.keyring.hosts[i].insecure;
	result->plan = run->plan;
}

/* ---- the journal ---- */

void run_read_plan(struct run *run)
{
	char *path = mem_format("%s.partial/plan.yaml", run->directory);
	FILE *file = fopen(path, "r");
	char part[4096];
	size_t size;

	while (file && (size = fread(part, 1, sizeof(part), file)) > 0)
		bytes_append(&run->plan_text, part, size);
	if (file)
		fclose(file);
	free(path);
	run->plan_crc = framed_crc(0, run->plan_text.data, run->plan_text.size);
}

/* Without one the run goes on: agents keep what they measure all the longer. */
static void open_journal(struct run *run)
{
	char *partial = store_again_partial(run->directory);
	struct error err;

	run->journal =
		journal_open(partial, run->locks, run->before ? run->before->whole_bytes : 0, &err);
	/* Agents may forget what is in it: its name is to be on the disk as well. */
	if (run->journal && store_sync(run->directory, &err) < 0)
		log_warning("%s: after a power cut here the journal may be missing", err.text);
	if (!run->journal)
		log_warning("%s: a run that is killed cannot be taken up again", err.text);
	free(partial);
}

static void note_head(struct run *run)
{
	const struct options *options = run->options;
	const struct fleet *fleet = &run->assembly.fleet;
	struct journal_head head = {.format = JOURNAL_FORMAT,
				    .run = (char *)fleet->run,
				    .owner = (char *)fleet->owner,
				    .started_at = run->result.started_at,
				    .fingerprint = (char *)version_fingerprint(),
				    .run_start_ns = run->collect.run_start_ns,
				    .now_ns = clock_now_ns(),
				    .plan_crc = run->plan_crc,
				    .kept_trials = run->whole_trials,
				    .seed = run->seed,
				    .insecure = run->result.insecure};

	for (uint32_t i = 0; i < options->settings_count; i++) {
		struct name *setting = RECORD_APPEND(head.settings, head.settings_count);
		setting->name = options->settings[i];
	}
	journal_add(run->journal, JOURNAL_HEAD, &head);
	free(head.settings);
	for (uint32_t i = 0; i < fleet->count; i++) {
		struct journal_host host = {.host = i,
					    .name = fleet->hosts[i].plan->name,
					    .directory =
						    local_directory_of(&run->assembly.local, i),
					    .facts = fleet->hosts[i].facts};
		journal_add(run->journal, JOURNAL_HOST, &host);
	}
}

/* ---- what was measured before ---- */

static uint64_t elapsed(const struct journal_content *before)
{
	uint64_t start = before->heads[before->heads_count - 1].run_start_ns, latest = 0;

	for (uint32_t p = 0; p < before->phases_count; p++) {
		const struct journal_phase *phase = &before->phases[p];
		uint64_t end = phase->is_ended ? phase->ended.now_ns : phase->start_ns;
		if (end && end - start > latest)
			latest = end - start;
	}
	return latest;
}

/* A run that is taken up again goes on in time: a second after what it had, however long ago that
 * was, since nobody's clock runs from one system's start to its next. */
static uint64_t elapsed_before(const struct run *run)
{
	return run->before ? elapsed(run->before) + NS_PER_S : 0;
}

static void take_up_again(struct run *run)
{
	const struct journal_head *first = &run->before->heads[0];
	struct collect *collect = &run->collect;
	uint64_t run_start_ns = collect->run_start_ns;
	char now[CLOCK_TEXT_SIZE];
	struct fleet fleet;

	replay_fleet(&fleet, run->before, &run->assembly.hosts, &run->assembly.keyring);
	collect->run_start_ns = first->run_start_ns;
	replay_phases(collect, &fleet, run->before, run->plan, run->whole_trials);
	collect->run_start_ns = run_start_ns;
	replay_fleet_release(&fleet);
	clock_wall_text(now);
	findings_add(&run->result, "RESUMED", NULL, NULL, NULL, NULL, NULL,
		     "begun at %s; taken up again at %s behind %u of %u trials", first->started_at,
		     now, run->whole_trials, run->plan->repeat);
}

static int set_up(struct run *run, struct error *err)
{
	run->assembly.fleet.on_timeline = collect_timeline;
	run->assembly.fleet.context = &run->collect;
	if (assembly_gather(&run->assembly, run->plan, run->interrupted, err) < 0)
		return -1;
	run->collect = (struct collect){.result = &run->result,
					.series = &run->series,
					.run_start_ns = clock_now_ns() - elapsed_before(run)};
	note_head(run);
	describe_hosts(&run->result, &run->assembly.fleet);
	plan_warn(run->plan, run->result.hosts, run->result.hosts_count);
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
 * stopped for the sake of another has nothing to say, and who is lost was said when it was. */
static void log_states(const struct result_phase *phase)
{
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (host->text && !text_is(host->state, "aborted") && !text_is(host->state, "lost"))
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
	if (end != RUN_PHASE_MEASURED)
		log_states(&run->result.phases[run->result.phases_count - 1]);
	return end;
}

static uint32_t last_kept(const struct fleet *fleet)
{
	uint32_t last = 0;

	for (uint32_t h = 0; h < fleet->count; h++) {
		const struct leased *facts = &fleet->hosts[h].facts;
		for (uint32_t k = 0; k < facts->kept_count; k++) {
			const struct kept_run *kept = &facts->kept[k];
			if (strcmp(kept->run, fleet->run) != 0 || !kept->phases_count)
				continue;
			uint32_t number = kept->phases[kept->phases_count - 1].number;
			last = number > last ? number : last;
		}
	}
	return last;
}

/* Numbers are never given twice: what agents keep is known by them, also of phases that the journal
 * has lost. */
static uint32_t last_number(const struct run *run)
{
	uint32_t last = run->plan->phases_count, kept = last_kept(&run->assembly.fleet);

	if (run->before && run->before->newest > last)
		last = run->before->newest;
	return kept > last ? kept : last;
}

static enum run_phase_end run_trials(struct run *run, struct run_phase *phase)
{
	enum run_phase_end end = RUN_PHASE_MEASURED;
	uint32_t number = last_number(run);

	for (uint32_t trial = run->whole_trials + 1; trial <= run->plan->repeat; trial++) {
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

/* A host that was lost may have measured on; phases that were not run can be. */
static bool has_left(const struct run *run, enum run_phase_end end)
{
	const struct fleet *fleet = &run->assembly.fleet;

	return end != RUN_PHASE_MEASURED || fleet_alive(fleet) < fleet->count;
}

static void run_phases(struct run *run)
{
	struct run_phase phase = {.fleet = &run->assembly.fleet,
				  .collect = &run->collect,
				  .plan = run->plan,
				  .progress = &run->progress,
				  .interrupted = run->interrupted,
				  .journal = run->journal,
				  .seed = run->seed,
				  .plan_crc = run->plan_crc};
	enum run_phase_end end = check_phases(run, &phase);

	if (end == RUN_PHASE_MEASURED) {
		if (run->before)
			take_up_again(run);
		end = run_trials(run, &phase);
	}
	run->is_incomplete = run->began && has_left(run, end);
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
	journal_settle(run->journal, &run->assembly.fleet);
	run->assembly.fleet.kept_phase = journal_kept(run->journal);
	assembly_dismiss(&run->assembly);
	for (uint32_t i = 0; i < run->assembly.fleet.count; i++)
		report_release(run, &run->assembly.fleet.hosts[i]);
}

/* Those of before the run was taken up again, as long as the controller's clock has gone on. */
static void put_before(struct clock_record_host *host, const struct clock_record_host *before)
{
	if (!before->count || !host->count ||
	    before->samples[before->count - 1].t1 > host->samples[0].t1)
		return;
	uint32_t count = before->count + host->count;
	struct clock_sample *all = mem_new(count, sizeof(*all));
	memcpy(all, before->samples, before->count * sizeof(*all));
	memcpy(all + before->count, host->samples, host->count * sizeof(*all));
	free(host->samples);
	host->samples = all;
	host->count = count;
}

/* The raw exchanges. */
static void keep_exchanges(struct run *run)
{
	struct clock_record record = {0};

	for (uint32_t i = 0; i < run->assembly.fleet.count; i++) {
		struct clock_record_host *host = RECORD_APPEND(record.hosts, record.count);
		host->host = mem_text(run->assembly.fleet.hosts[i].plan->name);
		host->samples = clock_exchange_copy(run->assembly.fleet.clocks, i, 0, &host->count);
		if (run->before && i < run->before->clocks.count)
			put_before(host, &run->before->clocks.hosts[i]);
	}
	clock_record_pack(&record, &run->exchanges);
	clock_record_release(&record);
}

/* Under their own name. */
static int store_here(struct run *run, struct error *err)
{
	/* A whole result has no use for it. */
	const char *spare = run->is_incomplete ? NULL : JOURNAL_NAME;

	if (run->again)
		run->put_aside = store_again_take(run->again, err);
	if (err->text[0] || store_add(run->directory, "clock.bin", &run->exchanges, err) < 0)
		return -1;
	return store_finish(run->directory, &run->result, &run->series, run->key, spare, err);
}

/* Where there is no room, or no answer. */
static void store_elsewhere(struct run *run, bool answers, const char *why)
{
	struct error err = {0};
	bool has_journal;
	struct store_rescue what = {.directory = run->directory,
				    .answers = answers,
				    .run = run->assembly.fleet.run,
				    .plan = &run->plan_text,
				    .clocks = &run->exchanges,
				    .secret = run->is_incomplete ? JOURNAL_NAME : NULL,
				    .result = &run->result,
				    .series = &run->series,
				    .key = run->key};
	char *rescued = store_rescue(&what, &has_journal, &err);

	log_error("%s", why);
	if (rescued)
		log_error("all that was measured is in '%s' instead: move it where it shall stay",
			  rescued);
	else
		log_error("nor elsewhere (%s); `muster collect %s` makes it once more when there "
			  "is room: its journal is in '%s.partial'",
			  err.text, run->directory, run->directory);
	if (rescued && run->is_incomplete)
		run->left_in = mem_text(has_journal ? rescued : run->directory);
	free(run->directory);
	run->directory = rescued;
}

/* The results written, under their own name or elsewhere. */
static int store(struct run *run)
{
	struct error err = {0};
	/* Nobody is to wait in that disk who has figures to tell. */
	bool answers = journal_wait(run->journal, run->plan->io_timeout, &err) == 0;

	run->is_stored = answers && store_here(run, &err) == 0;
	if (run->is_stored) {
		run->left_in = run->is_incomplete ? mem_text(run->directory) : NULL;
		return 0;
	}
	store_elsewhere(run, answers, err.text);
	return -1;
}

void run_count_phases(struct run *run)
{
	uint32_t wanted = run->plan->phases_count * run->plan->repeat;

	if (run->result.phases_count >= wanted)
		return;
	run->is_incomplete = true;
	findings_add(&run->result, "RUN_INCOMPLETE", NULL, NULL, NULL, NULL, NULL,
		     "%u of %u phases were begun (%u phases, %u trial%s)", run->result.phases_count,
		     wanted, run->plan->phases_count, run->plan->repeat,
		     run->plan->repeat == 1 ? "" : "s");
}

static void say_what_is_left(struct run *run)
{
	if (!run->left_in)
		return;
	progress_say(&run->progress,
		     "`muster collect %s` fetches what agents still have of it, `muster run "
		     "--resume %s` runs the trials that are missing",
		     run->left_in, run->left_in);
}

/* As the report tells it; NULL: nowhere. */
static char *place_of(const struct run *run)
{
	return run->is_stored || !run->directory
		       ? mem_text(run->directory)
		       : mem_format("%s, instead of their own place: exit 6, whatever the outcome",
				    run->directory);
}

int run_report(struct run *run)
{
	struct error err;
	int code;

	findings_compute(&run->result, &run->series);
	if (run->baseline.schema)
		baseline_note(&run->result, &run->baseline);
	gates_compute(&run->result, &run->series, run->baseline.schema ? &run->baseline : NULL);
	group_withhold(&run->result, &run->series);
	code = result_exit_code(gates_outcome(&run->result));
	if (store(run) < 0)
		code = 6;
	char *place = place_of(run);
	report_text(&run->result, &run->series, place, product_file());
	free(place);
	if (github_report(&run->result, product_file(), &err) < 0)
		log_warning("%s", err.text);
	if (product_deliver(PRODUCT_PATIENCE_NS, &err) < 0) {
		log_error("%s: the report is not whole there, `muster report` prints it again",
			  err.text);
		code = code ? code : 6;
	}
	if (run->put_aside)
		progress_say(&run->progress, "the result before is in '%s'", run->put_aside);
	say_what_is_left(run);
	if (run->directory && !run->key)
		progress_say(
			&run->progress,
			"MANIFEST.json is not signed: `muster keygen --sign NAME` makes a key, "
			"--sign-key NAME.sign.key uses it");
	return code;
}

void run_release(struct run *run)
{
	journal_close(run->journal);
	free(run->put_aside);
	if (run->collect.result)
		collect_release(&run->collect);
	run->result.plan = NULL; /* the caller's */
	record_release(&result_table, &run->result);
	record_release(&result_table, &run->baseline);
	assembly_release(&run->assembly);
	free(run->exchanges.data);
	free(run->plan_text.data);
	free(run->left_in);
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

/* Before any host is asked, too: what cannot be held against each other. */
static int read_baseline(struct run *run, struct error *err)
{
	const char *path = run->options->baseline;

	if (!path && !plan_has_baseline(run->plan))
		return 0;
	if (!path) {
		error_set(err, ERROR_USAGE,
			  "a gate is against a baseline: name the run with --baseline RUN");
		return -1;
	}
	if (baseline_check_use(run->plan, path, err) < 0)
		return -1;
	if (run_file_read(&run->baseline, path, err) == 0 &&
	    baseline_check(run->plan, &run->baseline, err) == 0) {
		run->result.baseline = mem_text(run->baseline.run);
		return 0;
	}
	err->kind = ERROR_USAGE;
	error_prefix(err, "--baseline");
	return -1;
}

int run_read_files(struct run *run, struct error *err)
{
	return read_key(run, err) < 0 || read_baseline(run, err) < 0 ? -1 : 0;
}

/* From the lease to the report. The run's directory is there. */
static int run_all(struct run *run, struct error *err)
{
	struct fleet *fleet = &run->assembly.fleet;
	char started[CLOCK_TEXT_SIZE];

	clock_wall_text(started);
	run_describe(run, run->before ? run->before->heads[0].started_at : started);
	run_read_plan(run);
	open_journal(run);
	if (set_up(run, err) < 0) {
		assembly_dismiss(&run->assembly);
		return -1;
	}
	run_phases(run);
	/* First: all of a long run's exchanges take longer to fit than agents wait for a heartbeat.
	 */
	release_fleet(run);
	describe_clocks(&run->result, fleet, run->collect.run_start_ns + elapsed_before(run),
			run->collect.run_start_ns);
	keep_exchanges(run);
	return 0;
}

int run_execute(const struct options *options, struct plan *plan)
{
	struct run run = {.options = options, .plan = plan, .seed = random_seed()};
	struct fleet *fleet = &run.assembly.fleet;
	struct error err = {0};
	int code = 6;

	run.interrupted = assembly_take_signals();
	progress_init(&run.progress, options->quiet);
	assembly_name_run(fleet->run, sizeof(fleet->run));
	if (run_read_files(&run, &err) < 0 ||
	    assembly_init(&run.assembly, plan, options, &err) < 0 ||
	    store_begin(options->out, fleet->run, options->operand, &run.directory, &err) < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? 2 : 6;
	} else if (run_all(&run, &err) < 0) {
		log_error("%s", err.text);
		store_abandon(run.directory);
	} else {
		code = run_report(&run);
	}
	run_release(&run);
	return code;
}

/* ---- again ---- */

static int check_again(struct run *run, struct error *err)
{
	const struct journal_head *head = &run->before->heads[0];

	if (framed_crc(0, run->again->plan.data, run->again->plan.size) != head->plan_crc) {
		error_set(err, ERROR_USAGE,
			  "plan.yaml of '%s' was changed since the run began: phases of two plans "
			  "are no run; run the new plan by itself",
			  run->again->directory);
		return -1;
	}
	if (replay_check(run->before, run->plan, &run->assembly.hosts, err) < 0)
		return -1;
	run->whole_trials = journal_whole_trials(run->before, run->plan->phases_count);
	if (run->whole_trials < run->plan->repeat)
		return 0;
	error_set(err, ERROR_USAGE,
		  "all %u trials of '%s' were measured: `muster collect` makes the result of them",
		  run->plan->repeat, run->again->directory);
	return -1;
}

int run_again(const struct options *options, struct plan *plan, const struct store_again *again,
	      const struct journal_content *before, struct journal_locks *locks)
{
	struct run run = {.options = options,
			  .plan = plan,
			  .again = again,
			  .before = before,
			  .locks = locks,
			  .seed = before->heads[0].seed};
	struct error err = {0};
	int code = 6;

	run.interrupted = assembly_take_signals();
	progress_init(&run.progress, options->quiet);
	assembly_adopt(&run.assembly, before);
	if (run_read_files(&run, &err) < 0 ||
	    assembly_init(&run.assembly, plan, options, &err) < 0 || check_again(&run, &err) < 0 ||
	    store_again_begin(again, &err) < 0) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? 2 : 6;
	} else {
		run.directory = mem_text(again->directory);
		progress_say(&run.progress, "run %s goes on behind %u of %u trials",
			     run.assembly.fleet.run, run.whole_trials, plan->repeat);
		if (run_all(&run, &err) < 0) {
			log_error("%s", err.text);
			if (again->has_ended)
				store_abandon(again->directory);
		} else
			code = run_report(&run);
	}
	run_release(&run);
	return code;
}
