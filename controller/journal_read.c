#include "controller/journal_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/framed.h"
#include "common/memory.h"
#include "proto/run_id.h"
#include "proto/version.h"

/* Hosts of a fleet and phases of a run that anybody has: what is beyond is damage. */
#define HOSTS_MOST  100000
#define PHASES_MOST 1000000

/* ---- release ---- */

static void release_answer(struct journal_answer *answer)
{
	record_release(journal_table(JOURNAL_ANSWER), answer);
}

static void release_series(struct journal_series *series)
{
	record_release(journal_table(JOURNAL_SERIES), series);
}

void journal_phase_release(struct journal_phase *phase)
{
	for (uint32_t i = 0; i < phase->answers_count; i++)
		release_answer(&phase->answers[i]);
	for (uint32_t i = 0; i < phase->series_count; i++)
		release_series(&phase->series[i]);
	free(phase->answers);
	free(phase->series);
	*phase = (struct journal_phase){0};
}

void journal_content_release(struct journal_content *content)
{
	for (uint32_t i = 0; i < content->heads_count; i++)
		record_release(journal_table(JOURNAL_HEAD), &content->heads[i]);
	for (uint32_t i = 0; i < content->hosts_count; i++)
		record_release(journal_table(JOURNAL_HOST), &content->hosts[i]);
	for (uint32_t i = 0; i < content->phases_count; i++)
		journal_phase_release(&content->phases[i]);
	for (uint32_t i = 0; content->taken && i < content->clocks.count; i++)
		clock_samples_release(&content->taken[i]);
	clock_record_release(&content->clocks);
	free(content->taken);
	free(content->heads);
	free(content->hosts);
	free(content->phases);
	*content = (struct journal_content){0};
}

/* ---- record by record: each takes what it is given, or answers false ---- */

/* What was begun and not brought to the end of its trial is done again. */
static void drop_trials(struct journal_content *content, uint32_t kept)
{
	while (content->phases_count &&
	       content->phases[content->phases_count - 1].begun.trial > kept)
		journal_phase_release(&content->phases[--content->phases_count]);
}

static bool take_head(struct journal_content *content, struct journal_head *head)
{
	if (!run_id_is_name(head->run) || !run_id_is_owner(head->owner))
		return false;
	if (content->heads_count && (strcmp(content->heads[0].run, head->run) != 0 ||
				     strcmp(content->heads[0].owner, head->owner) != 0))
		return false;
	if (content->heads_count)
		drop_trials(content, head->kept_trials);
	struct journal_head *taken = RECORD_APPEND(content->heads, content->heads_count);
	*taken = *head;
	return true;
}

/* The same host again when the run was taken up again. */
static bool take_host(struct journal_content *content, struct journal_host *host)
{
	if (host->host > content->hosts_count || host->host >= HOSTS_MOST)
		return false;
	if (host->host == content->hosts_count) {
		struct journal_host *taken = RECORD_APPEND(content->hosts, content->hosts_count);
		uint32_t count = content->clocks.count;
		struct clock_samples *samples = RECORD_APPEND(content->taken, count);
		struct clock_record_host *clock =
			RECORD_APPEND(content->clocks.hosts, content->clocks.count);
		*taken = *host;
		*samples = (struct clock_samples){0};
		clock->host = mem_text(host->name);
		return true;
	}
	struct journal_host *old = &content->hosts[host->host];
	if (strcmp(old->name, host->name) != 0)
		return false;
	record_release(journal_table(JOURNAL_HOST), old);
	*old = *host;
	return true;
}

static bool take_begun(struct journal_content *content, const struct journal_begun *begun)
{
	struct journal_phase *phase = journal_find_phase(content, begun->number);

	if (phase) {
		/* Another attempt: the one before was not measured. */
		journal_phase_release(phase);
	} else {
		if (content->phases_count &&
		    (content->phases_count >= PHASES_MOST ||
		     content->phases[content->phases_count - 1].begun.number > begun->number))
			return false;
		phase = RECORD_APPEND(content->phases, content->phases_count);
	}
	phase->begun = *begun;
	content->newest = begun->number;
	return true;
}

static bool take_started(struct journal_content *content, const struct journal_started *started)
{
	struct journal_phase *phase = journal_find_phase(content, started->number);

	if (!phase || phase->begun.attempt != started->attempt)
		return false;
	phase->start_ns = started->start_ns;
	return true;
}

static bool take_answer(struct journal_content *content, struct journal_answer *answer)
{
	struct journal_phase *phase = journal_find_phase(content, answer->number);

	if (!phase || answer->host >= content->hosts_count)
		return false;
	struct journal_answer *taken = RECORD_APPEND(phase->answers, phase->answers_count);
	*taken = *answer;
	return true;
}

static bool take_series(struct journal_content *content, struct journal_series *series)
{
	struct journal_phase *phase = journal_find_phase(content, series->number);

	if (!phase || series->host >= content->hosts_count)
		return false;
	struct journal_series *taken = RECORD_APPEND(phase->series, phase->series_count);
	*taken = *series;
	return true;
}

static bool take_ended(struct journal_content *content, const struct journal_ended *ended)
{
	struct journal_phase *phase = journal_find_phase(content, ended->number);

	if (!phase)
		return false;
	phase->is_ended = true;
	phase->ended = *ended;
	return true;
}

/* Behind what is there, as long as it goes on in time: the controller's clock begins anew with its
 * system, and then only what came after can be fitted. */
static void add_exchanges(struct clock_samples *into, const struct clock_record_host *from)
{
	if (from->count && into->count && into->samples[into->count - 1].t1 > from->samples[0].t1)
		clock_samples_release(into);
	for (uint32_t i = 0; i < from->count; i++)
		clock_samples_add(into, &from->samples[i]);
}

static void keep_exchanges(struct journal_content *content)
{
	for (uint32_t i = 0; i < content->clocks.count; i++) {
		content->clocks.hosts[i].samples = content->taken[i].samples;
		content->clocks.hosts[i].count = content->taken[i].count;
	}
	free(content->taken);
	content->taken = NULL;
}

static bool take_clock(struct journal_content *content, const unsigned char *data, size_t size,
		       struct error *err)
{
	struct clock_record record = {0};

	if (clock_record_unpack(&record, data, size, err) < 0)
		return false;
	bool fits = record.count == content->clocks.count;
	for (uint32_t i = 0; fits && i < record.count; i++)
		add_exchanges(&content->taken[i], &record.hosts[i]);
	clock_record_release(&record);
	return fits;
}

/* True: taken, whatever it owned as well. */
static bool take_record(struct journal_content *content, enum journal_kind kind, void *record)
{
	switch (kind) {
	case JOURNAL_HEAD:
		return take_head(content, record);
	case JOURNAL_HOST:
		return take_host(content, record);
	case JOURNAL_BEGUN:
		return take_begun(content, record);
	case JOURNAL_STARTED:
		return take_started(content, record);
	case JOURNAL_ANSWER:
		return take_answer(content, record);
	case JOURNAL_SERIES:
		return take_series(content, record);
	case JOURNAL_ENDED:
		return take_ended(content, record);
	default:
		return false;
	}
}

static int take(struct journal_content *content, const unsigned char *data, size_t size,
		struct error *err)
{
	enum journal_kind kind = size ? (enum journal_kind)data[0] : 0;
	const struct record_table *table = journal_table(kind);

	error_set(err, ERROR_USAGE, "it is not in its place");
	if (!content->heads_count && kind != JOURNAL_HEAD)
		return -1;
	if (kind == JOURNAL_CLOCK)
		return take_clock(content, data + 1, size - 1, err) ? 0 : -1;
	if (!table)
		return -1;
	void *record = mem_new(1, table->size);
	bool taken = record_unpack(table, record, data + 1, size - 1, err) == 0;
	if (taken && !take_record(content, kind, record)) {
		record_release(table, record);
		taken = false;
	}
	free(record);
	return taken ? 0 : -1;
}

/* ---- the whole ---- */

static int wrong(struct journal_content *content, size_t at, struct error *err)
{
	err->kind = ERROR_USAGE;
	error_prefix(err, "the record at byte %zu is none of a run's journal", at);
	journal_content_release(content);
	return -1;
}

/* Known from the first record on, before any is read as something else. */
static int check_format(struct journal_content *content, struct error *err)
{
	uint32_t format = content->heads[content->heads_count - 1].format;

	if (format == JOURNAL_FORMAT)
		return 0;
	error_set(err, ERROR_USAGE,
		  "it was written by another build (format %" PRIu32 ", here %d): use that one",
		  format, JOURNAL_FORMAT);
	journal_content_release(content);
	return -1;
}

int journal_parse(struct journal_content *content, const unsigned char *data, size_t size,
		  struct error *err)
{
	struct framed framed = {.data = data, .size = size};
	const unsigned char *record;
	size_t length, at = 0;

	*content = (struct journal_content){0};
	for (; framed_next(&framed, &record, &length); at = framed.at) {
		if (take(content, record, length, err) < 0)
			return wrong(content, at, err);
		if (check_format(content, err) < 0)
			return -1;
	}
	content->whole_bytes = framed.at;
	keep_exchanges(content);
	if (content->heads_count)
		return 0;
	error_set(err, ERROR_USAGE, "%s",
		  size ? "it has no beginning: its first record is cut off or damaged; what the "
			 "agents have kept is fetched without it by muster collect --plan PLAN"
		       : "it is empty: the run was killed before it began");
	journal_content_release(content);
	return -1;
}

static int read_file(const char *path, struct bytes *bytes, struct stat *st, struct error *err)
{
	FILE *file = fopen(path, "r");
	char part[65536];
	size_t size;

	if (!file) {
		error_set(err, ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
		return -1;
	}
	while ((size = fread(part, 1, sizeof(part), file)) > 0)
		bytes_append(bytes, part, size);
	int failed = ferror(file) || fstat(fileno(file), st) < 0 ? -1 : 0;
	if (failed)
		error_set(err, ERROR_USAGE, "cannot read '%s': %s", path, strerror(errno));
	fclose(file);
	return failed;
}

/* Agents are started in these directories and clean up there: who wrote the journal could name any.
 */
static int check_owner(const struct journal_content *content, const char *path,
		       const struct stat *st, struct error *err)
{
	if (st->st_uid == geteuid())
		return 0;
	for (uint32_t h = 0; h < content->hosts_count; h++)
		if (content->hosts[h].directory) {
			error_set(
				err, ERROR_USAGE,
				"'%s' belongs to user %ld and says where local agents have their "
				"files, which is believed of one's own alone: do this as that user",
				path, (long)st->st_uid);
			return -1;
		}
	return 0;
}

int journal_read(struct journal_content *content, const char *directory, struct error *err)
{
	char *path = mem_format("%s/" JOURNAL_NAME, directory);
	struct bytes bytes = {0};
	struct stat st;
	int failed = read_file(path, &bytes, &st, err);

	if (!failed) {
		failed = journal_parse(content, bytes.data, bytes.size, err);
		if (failed)
			error_prefix(err, "'%s'", path);
	}
	if (!failed && strcmp(content->heads[0].fingerprint, version_fingerprint()) != 0) {
		error_set(err, ERROR_USAGE,
			  "'%s' was written by another build (protocol %s, here %s): use that one",
			  path, content->heads[0].fingerprint, version_fingerprint());
		journal_content_release(content);
		failed = -1;
	}
	if (!failed && check_owner(content, path, &st, err) < 0) {
		journal_content_release(content);
		failed = -1;
	}
	free(bytes.data);
	free(path);
	return failed;
}

static void pack_phase(const struct journal_phase *phase, struct bytes *into)
{
	journal_pack(into, JOURNAL_BEGUN, &phase->begun);
	if (phase->start_ns) {
		const struct journal_started started = {.number = phase->begun.number,
							.attempt = phase->begun.attempt,
							.start_ns = phase->start_ns};
		journal_pack(into, JOURNAL_STARTED, &started);
	}
	for (uint32_t i = 0; i < phase->answers_count; i++)
		journal_pack(into, JOURNAL_ANSWER, &phase->answers[i]);
	for (uint32_t i = 0; i < phase->series_count; i++)
		journal_pack(into, JOURNAL_SERIES, &phase->series[i]);
	if (phase->is_ended)
		journal_pack(into, JOURNAL_ENDED, &phase->ended);
}

void journal_content_pack(const struct journal_content *content, struct bytes *into)
{
	for (uint32_t i = 0; i < content->heads_count; i++)
		journal_pack(into, JOURNAL_HEAD, &content->heads[i]);
	for (uint32_t i = 0; i < content->hosts_count; i++)
		journal_pack(into, JOURNAL_HOST, &content->hosts[i]);
	journal_pack_clock(into, &content->clocks);
	for (uint32_t i = 0; i < content->phases_count; i++)
		pack_phase(&content->phases[i], into);
}

void journal_adopt(const struct journal_content *content, struct fleet *fleet)
{
	const struct journal_head *head = &content->heads[0];

	/* Both were held against their sizes when they were read. */
	snprintf(fleet->run, sizeof(fleet->run), "%s", head->run);
	snprintf(fleet->owner, sizeof(fleet->owner), "%s", head->owner);
}

/* ---- questions ---- */

struct journal_phase *journal_find_phase(const struct journal_content *content, uint32_t number)
{
	for (uint32_t i = content->phases_count; i-- > 0;)
		if (content->phases[i].begun.number == number)
			return &content->phases[i];
	return NULL;
}

bool journal_has_passed(const struct journal_content *content, uint32_t number, uint32_t attempt)
{
	const struct journal_phase *phase = journal_find_phase(content, number);

	if (phase)
		return phase->is_ended || attempt < phase->begun.attempt;
	return number <= content->newest;
}

struct journal_answer *journal_answer_of(const struct journal_phase *phase, uint32_t host)
{
	for (uint32_t i = phase->answers_count; i-- > 0;)
		if (phase->answers[i].host == host)
			return &phase->answers[i];
	return NULL;
}

struct journal_answer *journal_answer_anew(struct journal_phase *phase, uint32_t host)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < phase->series_count; i++)
		if (phase->series[i].host != host)
			phase->series[kept++] = phase->series[i];
		else
			release_series(&phase->series[i]);
	phase->series_count = kept;
	struct journal_answer *answer = journal_answer_of(phase, host);
	if (answer)
		release_answer(answer);
	else
		answer = RECORD_APPEND(phase->answers, phase->answers_count);
	answer->number = phase->begun.number;
	answer->host = host;
	return answer;
}

static bool is_measured(const struct journal_content *content, const struct journal_phase *phase)
{
	if (!phase->is_ended || !phase->start_ns)
		return false;
	for (uint32_t h = 0; h < content->hosts_count; h++) {
		const struct journal_answer *answer = journal_answer_of(phase, h);
		if (!answer || answer->is_lost || !answer->done ||
		    answer->done->state != DONE_COMPLETE)
			return false;
	}
	return true;
}

uint32_t journal_whole_trials(const struct journal_content *content, uint32_t phases)
{
	uint32_t trial = 1, next = 0;

	for (uint32_t p = 0; p < content->phases_count; p++) {
		const struct journal_phase *phase = &content->phases[p];
		if (phase->begun.trial != trial || phase->begun.phase != next ||
		    !is_measured(content, phase))
			break;
		if (++next == phases) {
			next = 0;
			trial++;
		}
	}
	return trial - 1;
}
