/* recover_spools.c - a run put together from what agents keep of it, when the controller's own part
 * is gone: its journal is made again, out of the plan and the agents' spools (recover_learn.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/product.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/recover_inside.h"
#include "controller/recover_learn.h"
#include "controller/store.h"
#include "proto/version.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

/* The run's start on the clock that its times are put on. */
#define RUN_START_NS (3600 * NS_PER_S)

struct spools {
	struct run *run;
	struct journal_content content;
	struct learning learning;
};

/* ---- the journal, before ---- */

/* "20261130-191502-3fa9" was named when it began. */
static char *started_at(const char *run)
{
	if (strspn(run, "0123456789") == 8 && run[8] == '-' && strspn(run + 9, "0123456789") == 6)
		return mem_format("%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", run, run + 4, run + 6, run + 9,
				  run + 11, run + 13);
	return mem_text("?");
}

static void add_head(struct spools *s)
{
	const struct run *run = s->run;
	struct journal_head *head = RECORD_APPEND(s->content.heads, s->content.heads_count);

	head->format = JOURNAL_FORMAT;
	head->run = mem_text(run->assembly.fleet.run);
	head->owner = mem_text(run->assembly.fleet.owner);
	head->started_at = started_at(head->run);
	head->fingerprint = mem_text(version_fingerprint());
	head->run_start_ns = head->now_ns = RUN_START_NS;
	head->plan_crc = run->plan_crc;
	for (uint32_t i = 0; i < run->options->settings_count; i++) {
		struct name *setting = RECORD_APPEND(head->settings, head->settings_count);
		setting->name = mem_text(run->options->settings[i]);
	}
}

/* One that cannot be asked shares its devices with nobody. */
static void describe_unknown(struct leased *facts, const char *host)
{
	facts->system = mem_text("?");
	facts->kernel = mem_text("?");
	facts->hostname = mem_text(host);
	facts->boot_id = mem_format("unknown %s", host);
}

static void add_hosts(struct spools *s)
{
	const struct fleet *fleet = &s->run->assembly.fleet;

	for (uint32_t h = 0; h < fleet->count; h++) {
		struct journal_host *host = RECORD_APPEND(s->content.hosts, s->content.hosts_count);
		struct clock_record_host *clock =
			RECORD_APPEND(s->content.clocks.hosts, s->content.clocks.count);
		host->host = h;
		host->name = mem_text(fleet->hosts[h].plan->name);
		clock->host = mem_text(host->name);
		if (fleet->hosts[h].status == FLEET_STATUS_LEASED)
			record_copy(&leased_table, &host->facts, &fleet->hosts[h].facts);
		else
			describe_unknown(&host->facts, host->name);
		s->content.heads[0].insecure |= fleet->hosts[h].keys->insecure;
	}
}

/* ---- what is kept where ---- */

static bool is_first_with(const struct fleet *fleet, uint32_t host, const char *run)
{
	for (uint32_t h = 0; h < host; h++)
		for (uint32_t k = 0; k < fleet->hosts[h].facts.kept_count; k++)
			if (strcmp(fleet->hosts[h].facts.kept[k].run, run) == 0)
				return false;
	return true;
}

static void list_run(const struct fleet *fleet, const struct kept_run *run)
{
	uint32_t hosts = 0, phases = 0;
	uint64_t bytes = 0;
	char size[UNITS_TEXT_SIZE];

	for (uint32_t h = 0; h < fleet->count; h++)
		for (uint32_t k = 0; k < fleet->hosts[h].facts.kept_count; k++) {
			const struct kept_run *kept = &fleet->hosts[h].facts.kept[k];
			if (strcmp(kept->run, run->run) != 0)
				continue;
			hosts++;
			bytes += kept->bytes;
			phases = kept->phases_count > phases ? kept->phases_count : phases;
		}
	product_print("%s: of %s, since %s: %u of %u hosts keep %u phase%s, %s\n", run->run,
		      run->holder, run->since, hosts, fleet->count, phases, phases == 1 ? "" : "s",
		      units_format_bytes(size, bytes));
}

static void list_runs(const struct fleet *fleet)
{
	uint32_t count = 0;

	for (uint32_t h = 0; h < fleet->count; h++)
		for (uint32_t k = 0; k < fleet->hosts[h].facts.kept_count; k++)
			if (is_first_with(fleet, h, fleet->hosts[h].facts.kept[k].run)) {
				list_run(fleet, &fleet->hosts[h].facts.kept[k]);
				count++;
			}
	if (!count)
		product_print("no agent that was asked keeps results of a run\n");
}

static int list(struct run *run, struct error *err)
{
	struct fleet *fleet = &run->assembly.fleet;

	assembly_name_run(fleet->run, sizeof(fleet->run));
	if (recover_connect(run, err) < 0)
		return EXIT_SET_UP;
	bool all = fleet_alive(fleet) == fleet->count;
	assembly_dismiss(&run->assembly);
	list_runs(fleet);
	if (product_deliver(PRODUCT_PATIENCE_NS, err) < 0)
		return EXIT_SET_UP;
	return all ? 0 : EXIT_SET_UP;
}

/* ---- all of it ---- */

static void tell_origin(struct run *run, const struct learning *learning)
{
	findings_add(
		&run->result, "FROM_SPOOLS", NULL, NULL, NULL, NULL, NULL,
		"the run's directory was not there: made of what agents kept and of '%s', %s; "
		"phases and targets are those that they were asked for",
		run->options->plan,
		learning->is_other_file
			? "which has changed since the run: gates, labels and limits are as it "
			  "has them now"
			: "which is the run's, byte for byte");
}

static int fetch(struct spools *s, struct fetched_hosts *fetched, struct error *err)
{
	struct run *run = s->run;

	add_head(s);
	add_hosts(s);
	learning_begin(&s->learning, run, &s->content);
	const struct fetch_watcher watcher = learning_watcher(&s->learning, true);
	fetch_kept(fetched, &run->assembly.fleet, &s->content, &watcher, run->interrupted);
	learning_complete(&s->learning);
	if (s->learning.differs) {
		error_set(err, ERROR_USAGE,
			  "'%s' is not the plan of run %s: %s. Agents keep what they have; give "
			  "the plan that the run had, with its --set",
			  run->options->plan, run->options->operand, s->learning.differs);
		return -1;
	}
	if (s->content.phases_count)
		return recover_take_home(run, &s->content, fetched, err);
	error_set(err, ERROR_SETUP,
		  "no agent of the plan that answers gives out anything of run %s; `muster collect "
		  "--plan %s` lists what they keep",
		  run->options->operand, run->options->plan);
	return -1;
}

static int collect_run(struct run *run, struct error *err)
{
	struct spools s = {.run = run};
	struct fetched_hosts fetched = {0};
	int code = EXIT_SET_UP;

	run_read_plan(run);
	int failed = recover_connect(run, err);
	if (!failed) {
		failed = fetch(&s, &fetched, err);
		assembly_dismiss(&run->assembly);
	}
	if (!failed) {
		recover_make_result(run, &s.content, &fetched);
		tell_origin(run, &s.learning);
		code = run_report(run);
	} else {
		store_abandon(run->directory);
	}
	fetched_hosts_release(&fetched, run->assembly.fleet.count);
	journal_content_release(&s.content);
	learning_release(&s.learning);
	return code;
}

/* Whose run it was is proven by the key that its secret was made of. */
static int check_owner(const struct run *run, struct error *err)
{
	const struct options *options = run->options;

	if (!run_id_is_name(options->operand)) {
		error_set(err, ERROR_USAGE,
			  "'%s' is no run's id: with --plan that is wanted, as `muster collect "
			  "--plan %s` lists it, and no directory",
			  options->operand, options->plan);
		return -1;
	}
	if (run->assembly.keyring.own_path)
		return 0;
	error_set(err, ERROR_USAGE,
		  "a run's results are its owner's: that of a controller with a key is proven by "
		  "the key (--key, or fleet.key of the plan), that of a run without keys by its "
		  "journal.bin alone, and without its directory nobody can show that it was "
		  "theirs. What the agents keep is in their spools, under results/%s",
		  options->operand);
	return -1;
}

static int begin(struct run *run, struct error *err)
{
	const struct options *options = run->options;
	struct fleet *fleet = &run->assembly.fleet;

	if (run_read_files(run, err) < 0 || check_owner(run, err) < 0)
		return -1;
	snprintf(fleet->run, sizeof(fleet->run), "%s", options->operand);
	return store_begin(options->out, fleet->run, options->plan, &run->directory, err);
}

static int with_plan(const struct options *options, struct plan *plan)
{
	struct journal_locks locks = {0};
	struct run run = {.options = options, .plan = plan, .locks = &locks};
	struct error err = {0};
	int code = EXIT_SET_UP;

	run.interrupted = assembly_take_signals();
	progress_init(&run.progress, options->quiet);
	int failed = assembly_init(&run.assembly, plan, options, &err);
	if (!failed && !options->operand)
		code = list(&run, &err);
	else if (!failed && begin(&run, &err) == 0)
		code = collect_run(&run, &err);
	if (err.text[0] && code == EXIT_SET_UP) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	run_release(&run);
	journal_locks_release(&locks);
	return code;
}

int recover_spools(const struct options *options)
{
	struct plan plan = {0};
	struct yaml_errors errors = {.file = options->plan};
	int code = EXIT_USAGE;

	if (plan_read(&plan, options->plan, options->settings, options->settings_count, &errors)) {
		code = with_plan(options, &plan);
		plan_release(&plan);
	} else {
		yaml_errors_print(&errors);
	}
	yaml_errors_release(&errors);
	return code;
}
