/* recover_spools.c - a run put together from what agents keep of it, when the controller's own part
 * is gone: its journal is made again, out of the plan and the agents' spools.
 *
 * A phase's file has what was asked for, when it began on the controller's clock, and each second
 * what the controller knew of the agent's (heartbeat): that stands for the exchanges. Times count
 * from a run's start that every phase names, so that those of two controllers fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/product.h"
#include "common/record_json.h"
#include "common/units.h"
#include "controller/analysis/findings.h"
#include "controller/preparation.h"
#include "controller/recover_inside.h"
#include "controller/run_phase.h"
#include "controller/store.h"
#include "proto/version.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

/* The run's start on the clock that its times are put on. */
#define RUN_START_NS (3600 * NS_PER_S)
/* Of a phase that no host has told the start of yet. */
#define UNKNOWN_NS 1

struct spools {
	struct run *run;
	struct journal_content content;
	uint64_t *run_start_ns; /* of each host, by the phase that is being read */
	uint64_t latest_ns;     /* that the phase under way is known to have been under way */
	bool is_other_file;     /* plan.yaml is another than the run's */
	char *differs; /* how what was asked for differs from the plan; NULL: it does not */
};

/* ---- the plan ---- */

static void note_difference(struct spools *s, char *text)
{
	if (s->differs)
		free(text);
	else
		s->differs = text;
}

/* The line at `at` without what JSON puts around it. */
static char *copy_line(const char *at)
{
	at += strspn(at, " ");
	size_t size = strcspn(at, "\n");

	return mem_format("%.*s", (int)(size && at[size - 1] == ',' ? size - 1 : size), at);
}

/* Where two records of a table, which are not the same, begin to differ. */
static char *describe_difference(const struct record_table *table, const void *asked,
				 const void *planned)
{
	char *a = record_json_format(table, asked), *b = record_json_format(table, planned);
	size_t at = 0, line = 0;

	for (; a[at] && a[at] == b[at]; at++)
		if (a[at] == '\n')
			line = at + 1;
	char *one = copy_line(a + line), *other = copy_line(b + line);
	char *text = mem_format("it was asked for %s, the plan has %s", one, other);
	free(one);
	free(other);
	free(a);
	free(b);
	return text;
}

static bool is_same(const struct record_table *table, const void *a, const void *b)
{
	struct bytes one = {0}, other = {0};

	record_pack(table, a, &one);
	record_pack(table, b, &other);
	bool same = one.size == other.size && memcmp(one.data, other.data, one.size) == 0;
	free(one.data);
	free(other.data);
	return same;
}

/* NULL: the same. */
static char *compare(const struct prepare *asked, const struct prepare *planned)
{
	if (asked->bucket_ns != planned->bucket_ns)
		return mem_text("it was asked for other buckets than the plan's");
	if (!is_same(&phase_table, &asked->phase, &planned->phase))
		return describe_difference(&phase_table, &asked->phase, &planned->phase);
	if (asked->targets_count != planned->targets_count)
		return mem_format("it was told of %u targets, the plan has %u for it",
				  asked->targets_count, planned->targets_count);
	for (uint32_t t = 0; t < asked->targets_count; t++)
		if (!is_same(&target_table, &asked->targets[t], &planned->targets[t]))
			return describe_difference(&target_table, &asked->targets[t],
						   &planned->targets[t]);
	return NULL;
}

static void check_asked(struct spools *s, uint32_t host, const struct phase *phase,
			const struct prepare *asked)
{
	const struct run *run = s->run;
	struct prepare planned;

	preparation_init(&planned, run->plan, phase, &run->assembly.hosts.hosts[host],
			 s->content.hosts[host].facts.memory_bytes);
	char *difference = compare(asked, &planned);
	if (difference)
		note_difference(s,
				mem_format("host '%s', phase '%s': %s", s->content.hosts[host].name,
					   phase->name, difference));
	free(difference);
	preparation_release(&planned);
}

/* ---- frames ---- */

static const struct phase *find_planned(const struct plan *plan, const char *name)
{
	for (uint32_t p = 0; p < plan->phases_count; p++)
		if (strcmp(plan->phases[p].name, name) == 0)
			return &plan->phases[p];
	return NULL;
}

static void learn_prepare(struct spools *s, uint32_t host, struct journal_phase *phase,
			  const struct prepare *asked)
{
	const struct plan *plan = s->run->plan;
	const struct phase *planned = find_planned(plan, asked->phase.name);

	s->run_start_ns[host] = asked->run_start_ns;
	if (asked->plan_crc != s->run->plan_crc)
		s->is_other_file = true;
	if (!planned || !asked->trial || asked->trial > plan->repeat) {
		note_difference(s, mem_format("host '%s' has phase '%s' of trial %u, the plan has "
					      "no such",
					      s->content.hosts[host].name, asked->phase.name,
					      asked->trial));
		return;
	}
	phase->begun.trial = asked->trial;
	phase->begun.phase = (uint32_t)(planned - plan->phases);
	s->content.heads[0].seed = asked->seed;
	check_asked(s, host, planned, asked);
}

static uint64_t put_on_run(const struct spools *s, uint32_t host, uint64_t controller_ns)
{
	return controller_ns - s->run_start_ns[host] + RUN_START_NS;
}

static void add_clock(struct spools *s, uint32_t host, uint64_t controller_ns, uint64_t agent_ns,
		      uint64_t bound_ns)
{
	struct clock_record_host *clock = &s->content.clocks.hosts[host];
	uint64_t at = put_on_run(s, host, controller_ns);

	if (!bound_ns || bound_ns > UINT32_MAX)
		return;
	struct clock_sample *sample = RECORD_APPEND(clock->samples, clock->count);
	*sample = (struct clock_sample){.t1 = at,
					.t4 = at,
					.t2 = agent_ns,
					.t3 = agent_ns,
					.upper_error_ns = (uint32_t)bound_ns,
					.lower_error_ns = (uint32_t)bound_ns,
					.stamp = CLOCK_STAMP_USER};
	if (at > s->latest_ns)
		s->latest_ns = at;
}

static void learn_lease(struct spools *s, uint32_t host, const struct lease *lease)
{
	const char *name = s->content.hosts[host].name;

	if (strcmp(lease->host, name) != 0)
		note_difference(
			s, mem_format("host '%s' was called '%s' in the run", name, lease->host));
}

static void learn_facts(struct spools *s, uint32_t host, const struct leased *facts)
{
	record_release(&leased_table, &s->content.hosts[host].facts);
	record_copy(&leased_table, &s->content.hosts[host].facts, facts);
	s->content.heads[0].insecure |= facts->insecure;
}

static void learn_start(struct spools *s, uint32_t host, struct journal_phase *phase,
			const struct start *start)
{
	if (phase->start_ns == UNKNOWN_NS)
		phase->start_ns = put_on_run(s, host, start->controller_ns);
	add_clock(s, host, start->controller_ns, start->at_ns, start->bound_ns);
}

/* fetch_watcher.on_frame */
static void on_frame(void *context, uint32_t host, struct journal_phase *phase,
		     const struct message *message)
{
	struct spools *s = context;
	const struct heartbeat *beat = message->body;

	if (message->envelope.kind == MESSAGE_LEASE)
		learn_lease(s, host, message->body);
	else if (message->envelope.kind == MESSAGE_LEASED)
		learn_facts(s, host, message->body);
	else if (phase && message->envelope.kind == MESSAGE_PREPARE)
		learn_prepare(s, host, phase, message->body);
	else if (phase && message->envelope.kind == MESSAGE_START)
		learn_start(s, host, phase, message->body);
	else if (phase && message->envelope.kind == MESSAGE_HEARTBEAT)
		add_clock(s, host, beat->now_ns, beat->agent_ns, beat->bound_ns);
}

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

/* Of several attempts the last: the others were not measured. */
static void add_phase(struct journal_content *content, const struct kept_phase *kept)
{
	struct journal_phase *phase = NULL;

	for (uint32_t p = content->phases_count; p-- > 0 && !phase;)
		if (content->phases[p].begun.number == kept->number)
			phase = &content->phases[p];
	if (!phase)
		phase = RECORD_APPEND(content->phases, content->phases_count);
	phase->begun.number = kept->number;
	if (phase->begun.attempt < kept->attempt)
		phase->begun.attempt = kept->attempt;
	phase->start_ns = UNKNOWN_NS;
}

static int by_number(const void *a, const void *b)
{
	const struct journal_phase *x = a, *y = b;

	return (x->begun.number > y->begun.number) - (x->begun.number < y->begun.number);
}

static void add_phases(struct spools *s)
{
	const struct fleet *fleet = &s->run->assembly.fleet;
	struct journal_content *content = &s->content;

	for (uint32_t h = 0; h < fleet->count; h++) {
		const struct leased *facts = &fleet->hosts[h].facts;
		for (uint32_t k = 0; k < facts->kept_count; k++)
			for (uint32_t p = 0; p < facts->kept[k].phases_count; p++)
				if (strcmp(facts->kept[k].run, fleet->run) == 0)
					add_phase(content, &facts->kept[k].phases[p]);
	}
	if (content->phases_count)
		qsort(content->phases, content->phases_count, sizeof(*content->phases), by_number);
}

/* ---- the journal, after ---- */

static int by_t1(const void *a, const void *b)
{
	const struct clock_sample *x = a, *y = b;

	return (x->t1 > y->t1) - (x->t1 < y->t1);
}

static bool is_before(const struct journal_begun *a, const struct journal_begun *b)
{
	return a->trial != b->trial ? a->trial < b->trial : a->phase < b->phase;
}

/* What nobody has a beginning of is none; a trial that was run again takes the place of what it had
 * before. */
static void keep_last(struct journal_content *content)
{
	uint32_t kept = 0;

	for (uint32_t p = 0; p < content->phases_count; p++) {
		struct journal_phase phase = content->phases[p];
		if (phase.start_ns == UNKNOWN_NS || !phase.begun.trial) {
			journal_phase_release(&phase);
			continue;
		}
		while (kept && !is_before(&content->phases[kept - 1].begun, &phase.begun))
			journal_phase_release(&content->phases[--kept]);
		content->phases[kept++] = phase;
	}
	content->phases_count = kept;
}

static bool is_whole(const struct journal_content *content, const struct journal_phase *phase)
{
	for (uint32_t h = 0; h < content->hosts_count; h++) {
		const struct journal_answer *answer = journal_answer_of(phase, h);
		if (!answer || !answer->done || answer->done->state != DONE_COMPLETE)
			return false;
	}
	return true;
}

/* The run went on after each phase but the last; that one came to its end where all hosts did. */
static void tell_ends(struct spools *s)
{
	struct journal_content *content = &s->content;

	for (uint32_t p = 0; p < content->phases_count; p++) {
		struct journal_phase *phase = &content->phases[p];
		bool is_last = p + 1 == content->phases_count;
		phase->is_ended = !is_last || is_whole(content, phase);
		phase->ended = (struct journal_ended){
			.number = phase->begun.number,
			.end = RUN_PHASE_MEASURED,
			.now_ns = is_last ? s->latest_ns : content->phases[p + 1].start_ns};
		if (phase->ended.now_ns < phase->start_ns)
			phase->ended.now_ns = phase->start_ns;
	}
}

static void complete(struct spools *s)
{
	for (uint32_t h = 0; h < s->content.clocks.count; h++) {
		struct clock_record_host *clock = &s->content.clocks.hosts[h];
		if (clock->count)
			qsort(clock->samples, clock->count, sizeof(*clock->samples), by_t1);
	}
	keep_last(&s->content);
	tell_ends(s);
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

static void tell_origin(const struct spools *s)
{
	struct run *run = s->run;

	findings_add(
		&run->result, "FROM_SPOOLS", NULL, NULL, NULL, NULL, NULL,
		"the run's directory was not there: made of what agents kept and of '%s', %s; "
		"phases and targets are those that they were asked for",
		run->options->plan,
		s->is_other_file
			? "which has changed since the run: gates, labels and limits are as it "
			  "has them now"
			: "which is the run's, byte for byte");
}

static int fetch(struct spools *s, struct fetched_hosts *fetched, struct error *err)
{
	struct run *run = s->run;
	const struct fetch_watcher watcher = {.on_frame = on_frame, .context = s};

	add_head(s);
	add_hosts(s);
	add_phases(s);
	fetch_kept(fetched, &run->assembly.fleet, &s->content, &watcher, run->interrupted);
	complete(s);
	if (s->differs) {
		error_set(err, ERROR_USAGE,
			  "'%s' is not the plan of run %s: %s. Agents keep what they have; give "
			  "the plan that the run had, with its --set",
			  run->options->plan, run->options->operand, s->differs);
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

	s.run_start_ns = mem_new(run->assembly.hosts.count, sizeof(*s.run_start_ns));
	run->plan_crc = run_crc_of_plan(run->directory);
	int failed = recover_connect(run, err);
	if (!failed) {
		failed = fetch(&s, &fetched, err);
		assembly_dismiss(&run->assembly);
	}
	if (!failed) {
		recover_make_result(run, &s.content, &fetched);
		tell_origin(&s);
		code = run_report(run);
	} else {
		store_abandon(run->directory);
	}
	fetched_hosts_release(&fetched, run->assembly.fleet.count);
	journal_content_release(&s.content);
	free(s.run_start_ns);
	free(s.differs);
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
	struct run run = {.options = options, .plan = plan};
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
