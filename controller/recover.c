#include "controller/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/writer.h"
#include "controller/analysis/findings.h"
#include "controller/describe.h"
#include "controller/fetch_kept.h"
#include "controller/journal_read.h"
#include "controller/plan.h"
#include "controller/recover_inside.h"
#include "controller/recover_learn.h"
#include "controller/replay.h"
#include "controller/run.h"
#include "controller/run_inside.h"
#include "controller/run_phase.h"
#include "controller/store.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

/* How long agents may hear nothing while what they sent is put together for the disk. */
#define COLLECT_DEAD_AFTER_NS (60 * NS_PER_S)
#define PIECE_SIZE            ((size_t)1 << 20)

/* A run directory, read. */
struct found {
	struct store_again again;
	struct journal_content content;
	struct plan plan;
	struct journal_locks locks;
};

/* ---- finding ---- */

/* The plan as it was: of the directory, with what was set on the command line. */
static int read_plan(struct found *found, const char *name)
{
	const struct journal_head *head = &found->content.heads[0];
	char **settings = mem_new(head->settings_count, sizeof(*settings));
	struct yaml_errors errors = {.file = name};

	for (uint32_t i = 0; i < head->settings_count; i++)
		settings[i] = head->settings[i].name;
	bool read = plan_parse(&found->plan, (const char *)found->again.plan.data,
			       found->again.plan.size, settings, head->settings_count, &errors);
	yaml_errors_print(&errors);
	yaml_errors_release(&errors);
	free(settings);
	return read ? 0 : -1;
}

static void release(struct found *found)
{
	journal_content_release(&found->content);
	store_again_release(&found->again);
	journal_locks_release(&found->locks);
}

/* Both where there are two: whoever comes next may find either. */
static int lock(struct found *found, struct error *err)
{
	char *partial = store_again_partial(found->again.directory);
	const char *const directories[] = {found->again.directory, partial};
	int failed = 0;

	for (size_t i = 0; !failed && i < sizeof(directories) / sizeof(*directories); i++) {
		char *path = mem_format("%s/" JOURNAL_NAME, directories[i]);
		failed = journal_locks_take(&found->locks, path, err);
		free(path);
	}
	free(partial);
	return failed;
}

/* 0, or -1 with the error logged. */
static int find(struct found *found, const struct options *options)
{
	struct error err;

	*found = (struct found){0};
	if (store_again_find(&found->again, options->operand, &err) < 0) {
		log_error("%s", err.text);
		return -1;
	}
	char *partial = store_again_partial(found->again.directory);
	const char *from = found->again.has_ended ? found->again.directory : partial;
	char *plan = mem_format("%s/plan.yaml", from);
	int failed = lock(found, &err);
	if (!failed)
		failed = journal_read(&found->content, from, &err);
	if (failed)
		log_error("%s", err.text);
	else
		failed = read_plan(found, plan);
	if (failed)
		release(found);
	free(plan);
	free(partial);
	return failed;
}

/* ---- collect: the hosts ---- */

int recover_connect(struct run *run, struct error *err)
{
	struct fleet *fleet = &run->assembly.fleet;
	uint64_t dead_after = run->plan->fleet.dead_after;

	local_start_kept(&run->assembly.local, &run->assembly.hosts, &run->assembly.keyring);
	run->plan->fleet.dead_after = COLLECT_DEAD_AFTER_NS;
	int failed = fleet_open(fleet, run->plan, &run->assembly.hosts, &run->assembly.keyring,
				&run->assembly.local, err);
	run->plan->fleet.dead_after = dead_after;
	if (failed)
		return -1;
	/* Who is not there has its reason, and is told. */
	if (fleet_join_present(fleet, run->interrupted, err) < 0)
		log_warning("%s", err->text);
	return 0;
}

static void tell_collected(struct run *run, const struct journal_content *content)
{
	for (uint32_t p = 0; p < content->phases_count; p++)
		for (uint32_t h = 0; h < content->hosts_count; h++) {
			const struct journal_answer *answer =
				journal_answer_of(&content->phases[p], h);
			if (answer && answer->collected)
				findings_add(&run->result, "COLLECTED", NULL,
					     &run->result.phases[p], content->hosts[h].name, NULL,
					     NULL, "%s", answer->collected);
		}
}

static void tell_uncollected(struct run *run, const struct fetched_hosts *fetched)
{
	for (uint32_t h = 0; h < run->assembly.fleet.count; h++) {
		if (!fetched->failed[h])
			continue;
		run->is_incomplete = true;
		findings_add(&run->result, "NOT_COLLECTED", NULL, NULL,
			     run->assembly.fleet.hosts[h].plan->name, NULL, NULL, "%s",
			     fetched->failed[h]);
	}
}

/* How phases ended that did not come to their own end. */
static void tell_ends(struct run *run, const struct journal_content *content)
{
	for (uint32_t p = 0; p < content->phases_count; p++) {
		const struct journal_phase *phase = &content->phases[p];
		if (!phase->is_ended)
			findings_add(&run->result, "CONTROLLER_LOST", NULL, &run->result.phases[p],
				     NULL, NULL, NULL,
				     "the controller ended in this phase; clocks were compared "
				     "until then, and agents stopped by themselves after "
				     "dead_after");
		else if (phase->ended.end == RUN_PHASE_INTERRUPTED)
			findings_add(&run->result, "INTERRUPTED", NULL, &run->result.phases[p],
				     NULL, NULL, NULL,
				     "the run was interrupted by the person in this phase");
	}
}

/* ---- collect: the result ---- */

static void keep_clocks(struct run *run, const struct journal_content *content)
{
	clock_record_pack(&content->clocks, &run->exchanges);
}

static int open_fresh(const char *path, struct error *err)
{
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		error_set(err, ERROR_SYSTEM, "cannot make '%s': %s", path, strerror(errno));
	return fd;
}

/* On the disk, which may take its time: the agents are there meanwhile. */
static int write_fresh(struct run *run, const char *path, const struct bytes *bytes,
		       struct error *err)
{
	int fd = open_fresh(path, err);
	struct writer *writer = fd >= 0 ? writer_new(fd, err) : NULL;

	if (!writer)
		return -1;
	for (size_t at = 0; at < bytes->size; at += PIECE_SIZE) {
		size_t left = bytes->size - at;
		struct bytes piece = {0};
		bytes_append(&piece, bytes->data + at, left < PIECE_SIZE ? left : PIECE_SIZE);
		writer_add(writer, &piece);
	}
	writer_sync(writer, 1);
	struct writer_state state = writer_look(writer);
	while (state.is_busy && state.stalled_ns <= run->plan->io_timeout) {
		fleet_pump(&run->assembly.fleet, 5);
		state = writer_look(writer);
	}
	writer_free(writer, 0);
	if (state.kept == 1)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot write '%s': %s", path,
		  state.is_broken ? state.problem.text : "its disk does not answer");
	return -1;
}

/* The journal with all that has come: for who goes on, or collects once more. */
static int rewrite_journal(struct run *run, const struct journal_content *content,
			   struct error *err)
{
	char *fresh = mem_format("%s.partial/" JOURNAL_NAME ".new", run->directory);
	char *name = mem_format("%s.partial/" JOURNAL_NAME, run->directory);
	struct bytes bytes = {0};

	journal_content_pack(content, &bytes);
	int failed = write_fresh(run, fresh, &bytes, err);
	if (!failed)
		failed = journal_locks_take(run->locks, fresh, err);
	if (!failed && rename(fresh, name) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot put '%s' in place: %s", name, strerror(errno));
		failed = -1;
	}
	if (!failed)
		failed = store_sync(run->directory, err);
	free(bytes.data);
	free(fresh);
	free(name);
	return failed;
}

void recover_make_result(struct run *run, const struct journal_content *content,
			 const struct fetched_hosts *fetched)
{
	const struct journal_head *head = &content->heads[content->heads_count - 1];
	struct fleet fleet;

	run_describe(run, content->heads[0].started_at);
	free(run->result.run);
	run->result.run = mem_text(head->run);
	run->result.insecure = head->insecure;
	run->collect = (struct collect){
		.result = &run->result, .series = &run->series, .run_start_ns = head->run_start_ns};
	replay_fleet(&fleet, content, &run->assembly.hosts, &run->assembly.keyring);
	describe_hosts(&run->result, &fleet);
	replay_phases(&run->collect, &fleet, content, run->plan, UINT32_MAX);
	describe_clocks(&run->result, &fleet, head->now_ns, head->run_start_ns);
	replay_fleet_release(&fleet);
	tell_ends(run, content);
	tell_collected(run, content);
	tell_uncollected(run, fetched);
	run_count_phases(run);
	/* Then `muster run --resume` has something to do. */
	if (journal_whole_trials(content, run->plan->phases_count) < run->plan->repeat)
		run->is_incomplete = true;
	keep_clocks(run, content);
}

/* As at the end of a run: with the journal on the disk no agent is waited for, nor waits. */
int recover_take_home(struct run *run, const struct journal_content *content,
		      const struct fetched_hosts *fetched, struct error *err)
{
	if (rewrite_journal(run, content, err) < 0)
		return -1;
	fetch_kept_forget(fetched, &run->assembly.fleet, content->heads[0].run);
	return 0;
}

static int begin_again(struct run *run, const struct store_again *again, struct error *err)
{
	if (store_again_begin(again, err) < 0)
		return -1;
	run->directory = mem_text(again->directory);
	run_read_plan(run);
	return 0;
}

/* What the journal misses, also phases that it does not know: its disk was full, or the last of it
 * was lost with the power. */
static void fetch(struct run *run, struct journal_content *content, struct fetched_hosts *fetched)
{
	struct learning learning;

	learning_begin(&learning, run, content);
	const struct fetch_watcher watcher = learning_watcher(&learning, false);
	fetch_kept(fetched, &run->assembly.fleet, content, &watcher, run->interrupted);
	learning_complete(&learning);
	for (uint32_t h = 0; learning.differs && h < run->assembly.fleet.count; h++)
		fetched->is_forgettable[h] = false;
	if (learning.differs)
		log_warning("agents keep what they have: %s", learning.differs);
	learning_release(&learning);
}

static int collect_all(struct run *run, struct found *found, struct error *err)
{
	struct fetched_hosts fetched;

	if (recover_connect(run, err) < 0)
		return EXIT_SET_UP;
	fetch(run, &found->content, &fetched);
	int code = EXIT_SET_UP;
	int failed = begin_again(run, &found->again, err);
	if (!failed)
		failed = recover_take_home(run, &found->content, &fetched, err);
	assembly_dismiss(&run->assembly);
	if (!failed) {
		recover_make_result(run, &found->content, &fetched);
		code = run_report(run);
	}
	fetched_hosts_release(&fetched, run->assembly.fleet.count);
	return code;
}

int recover_collect(const struct options *options)
{
	struct found found;
	struct error err = {0};

	if (options->plan)
		return recover_spools(options);
	if (find(&found, options) < 0)
		return EXIT_USAGE;
	struct run run = {.options = options,
			  .plan = &found.plan,
			  .again = &found.again,
			  .locks = &found.locks};
	int code = EXIT_SET_UP;
	run.interrupted = assembly_take_signals();
	progress_init(&run.progress, options->quiet);
	assembly_adopt(&run.assembly, &found.content);
	if (run_read_files(&run, &err) == 0 &&
	    assembly_init(&run.assembly, &found.plan, options, &err) == 0 &&
	    replay_check(&found.content, &found.plan, &run.assembly.hosts, &err) == 0)
		code = collect_all(&run, &found, &err);
	if (err.text[0] && code == EXIT_SET_UP) {
		log_error("%s", err.text);
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	run_release(&run);
	plan_release(&found.plan);
	release(&found);
	return code;
}

/* ---- resume ---- */

int recover_resume(const struct options *options)
{
	struct found found;

	if (find(&found, options) < 0)
		return EXIT_USAGE;
	/* As they were typed: they are in the journal's new head as well. */
	struct options as_before = *options;
	const struct journal_head *head = &found.content.heads[0];
	char **settings = mem_new(head->settings_count, sizeof(*settings));
	for (uint32_t i = 0; i < head->settings_count; i++)
		settings[i] = head->settings[i].name;
	as_before.settings = settings;
	as_before.settings_count = head->settings_count;
	int code = run_again(&as_before, &found.plan, &found.again, &found.content, &found.locks);
	free(settings);
	plan_release(&found.plan);
	release(&found);
	return code;
}
