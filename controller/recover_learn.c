#include "controller/recover_learn.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "controller/preparation.h"
#include "controller/run_phase.h"

/* Of a phase that no host has told the start of yet. */
#define UNKNOWN_NS 1

/* ---- the plan ---- */

static void note_difference(struct learning *l, char *text)
{
	if (l->differs)
		free(text);
	else
		l->differs = text;
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

static void check_asked(struct learning *l, uint32_t host, const struct phase *phase,
			const struct prepare *asked)
{
	const struct run *run = l->run;
	struct prepare planned;

	preparation_init(&planned, run->plan, phase, &run->assembly.hosts.hosts[host],
			 l->content->hosts[host].facts.memory_bytes);
	char *difference = compare(asked, &planned);
	if (difference)
		note_difference(l,
				mem_format("host '%s', phase '%s': %s",
					   l->content->hosts[host].name, phase->name, difference));
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

static void learn_prepare(struct learning *l, uint32_t host, struct journal_phase *phase,
			  const struct prepare *asked)
{
	const struct plan *plan = l->run->plan;
	const struct phase *planned = find_planned(plan, asked->phase.name);

	l->run_start_ns[host] = asked->run_start_ns;
	if (asked->plan_crc != l->run->plan_crc)
		l->is_other_file = true;
	if (!planned || !asked->trial || asked->trial > plan->repeat) {
		note_difference(l, mem_format("host '%s' has phase '%s' of trial %u, the plan has "
					      "no such",
					      l->content->hosts[host].name, asked->phase.name,
					      asked->trial));
		return;
	}
	phase->begun.trial = asked->trial;
	phase->begun.phase = (uint32_t)(planned - plan->phases);
	l->content->heads[0].seed = asked->seed;
	check_asked(l, host, planned, asked);
}

static uint64_t put_on_run(const struct learning *l, uint32_t host, uint64_t controller_ns)
{
	const struct journal_head *head = &l->content->heads[l->content->heads_count - 1];

	return controller_ns - l->run_start_ns[host] + head->run_start_ns;
}

static void add_clock(struct learning *l, uint32_t host, uint64_t controller_ns, uint64_t agent_ns,
		      uint64_t bound_ns)
{
	struct clock_record_host *clock = &l->content->clocks.hosts[host];
	uint64_t at = put_on_run(l, host, controller_ns);

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
	if (at > l->latest_ns)
		l->latest_ns = at;
}

static void learn_lease(struct learning *l, uint32_t host, const struct lease *lease)
{
	const char *name = l->content->hosts[host].name;

	if (strcmp(lease->host, name) != 0)
		note_difference(
			l, mem_format("host '%s' was called '%s' in the run", name, lease->host));
}

static void learn_facts(struct learning *l, uint32_t host, const struct leased *facts)
{
	record_release(&leased_table, &l->content->hosts[host].facts);
	record_copy(&leased_table, &l->content->hosts[host].facts, facts);
	l->content->heads[0].insecure |= facts->insecure;
}

static void learn_start(struct learning *l, uint32_t host, struct journal_phase *phase,
			const struct start *start)
{
	if (phase->start_ns == UNKNOWN_NS)
		phase->start_ns = put_on_run(l, host, start->controller_ns);
	add_clock(l, host, start->controller_ns, start->at_ns, start->bound_ns);
}

/* fetch_watcher.on_frame */
static void on_frame(void *context, uint32_t host, struct journal_phase *phase,
		     const struct message *message)
{
	struct learning *l = context;
	const struct heartbeat *beat = message->body;

	if (phase && phase->is_ended)
		return;
	if (message->envelope.kind == MESSAGE_LEASE)
		learn_lease(l, host, message->body);
	else if (message->envelope.kind == MESSAGE_LEASED)
		learn_facts(l, host, message->body);
	else if (phase && message->envelope.kind == MESSAGE_PREPARE)
		learn_prepare(l, host, phase, message->body);
	else if (phase && message->envelope.kind == MESSAGE_START)
		learn_start(l, host, phase, message->body);
	else if (phase && message->envelope.kind == MESSAGE_HEARTBEAT)
		add_clock(l, host, beat->now_ns, beat->agent_ns, beat->bound_ns);
}

/* ---- phases that are to be learned ---- */

/* Of several attempts the last: the others were not measured. */
static void add_phase(struct journal_content *content, const struct kept_phase *kept)
{
	struct journal_phase *phase = journal_find_phase(content, kept->number);

	if (journal_has_passed(content, kept->number, kept->attempt))
		return;
	if (!phase)
		phase = RECORD_APPEND(content->phases, content->phases_count);
	if (phase->begun.attempt < kept->attempt) {
		const struct journal_begun begun = phase->begun;
		journal_phase_release(phase);
		phase->begun = begun;
	}
	phase->begun.number = kept->number;
	phase->begun.attempt = kept->attempt;
	if (!phase->start_ns)
		phase->start_ns = UNKNOWN_NS;
}

static int by_number(const void *a, const void *b)
{
	const struct journal_phase *x = a, *y = b;

	return (x->begun.number > y->begun.number) - (x->begun.number < y->begun.number);
}

static void add_phases(struct learning *l)
{
	const struct fleet *fleet = &l->run->assembly.fleet;
	struct journal_content *content = l->content;

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
static void keep_last(struct journal_content *content, uint32_t known)
{
	uint32_t kept = 0;

	for (uint32_t p = 0; p < content->phases_count; p++) {
		struct journal_phase phase = content->phases[p];
		if (phase.start_ns == UNKNOWN_NS && phase.begun.number <= known)
			phase.start_ns = 0;
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

/* The run went on after each phase but the last. That one came to its end where all hosts did: when
 * the journal has its beginning, the controller is known to have ended in it. */
static void tell_ends(struct learning *l)
{
	struct journal_content *content = l->content;

	for (uint32_t p = 0; p < content->phases_count; p++) {
		struct journal_phase *phase = &content->phases[p];
		bool is_last = p + 1 == content->phases_count;
		if (phase->is_ended || !phase->start_ns)
			continue;
		phase->is_ended =
			!is_last || (phase->begun.number > l->known && is_whole(content, phase));
		phase->ended = (struct journal_ended){
			.number = phase->begun.number,
			.end = RUN_PHASE_MEASURED,
			.now_ns = is_last ? l->latest_ns : content->phases[p + 1].start_ns};
		if (phase->ended.now_ns < phase->start_ns)
			phase->ended.now_ns = phase->start_ns;
	}
}

/* ---- all of it ---- */

void learning_begin(struct learning *l, struct run *run, struct journal_content *content)
{
	*l = (struct learning){.run = run, .content = content, .known = content->newest};
	l->run_start_ns = mem_new(run->assembly.hosts.count, sizeof(*l->run_start_ns));
	/* Killed before the hosts were joined: it had no phase. */
	if (content->hosts_count == run->assembly.hosts.count)
		add_phases(l);
}

struct fetch_watcher learning_watcher(struct learning *l, bool is_all)
{
	return (struct fetch_watcher){.on_frame = on_frame, .context = l, .is_all = is_all};
}

void learning_complete(struct learning *l)
{
	for (uint32_t h = 0; h < l->content->clocks.count; h++) {
		struct clock_record_host *clock = &l->content->clocks.hosts[h];
		if (clock->count)
			qsort(clock->samples, clock->count, sizeof(*clock->samples), by_t1);
	}
	keep_last(l->content, l->known);
	tell_ends(l);
}

void learning_release(struct learning *l)
{
	free(l->run_start_ns);
	free(l->differs);
	*l = (struct learning){0};
}
