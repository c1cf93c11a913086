#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/record_csv.h"
#include "common/text.h"
#include "controller/analysis/catalogue.h"
#include "controller/foreign.h"
#include "controller/judge.h"
#include "controller/run_file.h"

#define RUN_MAX      ((size_t)1 << 30)
#define TIMELINE_MAX ((size_t)8 << 30)
#define BUCKETS_MOST 5000000 /* of a target in a phase */

/* ---- findings ---- */

static bool is_one_of(const struct result_finding *finding, const char *const *codes)
{
	for (size_t i = 0; codes[i]; i++)
		if (text_is(finding->code, codes[i]))
			return true;
	return false;
}

static bool is_of_part(const struct result_finding *finding, const struct catalogue_part *part)
{
	for (uint32_t r = 0; r < part->count; r++)
		if (text_is(finding->code, part->rows[r].code))
			return true;
	return false;
}

/* What became of hosts and agents, and what was found while numbers were read, is nowhere in the
 * figures; all else is found again, by the rules as they are now. Histograms are not in run.json.
 */
static bool is_kept(const struct result_finding *finding)
{
	static const char *const found_again[] = {
		"HOST_LOST",      "HOST_REFUSED",    "HOST_BROKEN",      "HOST_FROZEN",
		"LATE_HEARTBEAT", "CLOCK_STEP",      "START_SKEW",       "INSECURE",
		"AGENT_NOTE",     "CLOCK_UNCERTAIN", "SUSPEND_DETECTED", NULL};
	static const char *const of_numbers[] = {"GENERATOR_MAY_LIMIT",
						 "VALUES_DISAGREE",
						 "COUNTER_WRAP",
						 "TIME_UNKNOWN",
						 "NO_TIMELINE",
						 "TIMELINE_CUT",
						 NULL};

	if (is_one_of(finding, of_numbers))
		return finding->phase != NULL; /* of a sweep they are found again */
	if (text_is(finding->code, "SUSPEND_DETECTED") && finding->figures_count &&
	    text_is(finding->figures[0].name, "asleep_s"))
		return true; /* by ticks, which are not in the result */
	return is_of_part(finding, &catalogue_hosts) && !is_one_of(finding, found_again);
}

static const struct record_table *table_of(const char *list)
{
	for (uint32_t i = 0; i < result_table.count; i++)
		if (strcmp(result_table.rows[i].key, list) == 0)
			return result_table.rows[i].table;
	return NULL;
}

static void forget_list(const char *list, void **elements, uint32_t *count)
{
	const struct record_table *table = table_of(list);

	for (uint32_t i = 0; i < *count; i++)
		record_release(table, (char *)*elements + i * table->size);
	free(*elements);
	*elements = NULL;
	*count = 0;
}

static void forget_verdict(struct result *result)
{
	const struct record_table *table = table_of("findings");
	uint32_t kept = 0;

	for (uint32_t f = 0; f < result->findings_count; f++) {
		struct result_finding *finding = &result->findings[f];
		if (is_kept(finding))
			result->findings[kept++] = *finding;
		else
			record_release(table, finding);
	}
	result->findings_count = kept;
	forget_list("repeats", (void **)&result->repeats, &result->repeats_count);
	forget_list("comparisons", (void **)&result->comparisons, &result->comparisons_count);
	forget_list("gates", (void **)&result->gates, &result->gates_count);
	if (text_is(result->outcome, "REFUSED") || text_is(result->outcome, "NOT_SET_UP"))
		return; /* nothing was measured that could be judged */
	free(result->outcome);
	free(result->reason);
	result->outcome = result->reason = NULL;
}

/* ---- timeline ---- */

struct filling {
	struct result *result;
	struct result_series *series;
	uint32_t host, target; /* of the line before: lines of one stand together */
	struct error *err;
	bool failed;
};

static void make_series(struct result *result, struct result_series *series)
{
	series->phases = mem_new(result->phases_count, sizeof(*series->phases));
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		struct phase_series *own = &series->phases[p];
		own->series = mem_new(phase->hosts_count, sizeof(*own->series));
		own->latency = mem_new(phase->hosts_count, sizeof(*own->latency));
		for (uint32_t h = 0; h < phase->hosts_count; h++) {
			uint32_t targets = phase->hosts[h].targets_count;
			own->series[h] = mem_new(targets, sizeof(**own->series));
			own->latency[h] = mem_new(targets, sizeof(**own->latency));
		}
	}
}

static void refuse_line(struct filling *filling, const struct result_bucket *line, const char *why)
{
	if (!filling->failed)
		error_set(filling->err, ERROR_USAGE,
			  "timeline.csv, phase %u, host '%s', target '%s', bucket %u: %s",
			  line->phase, text_or(line->host, ""), text_or(line->target, ""),
			  line->bucket, why);
	filling->failed = true;
}

static bool find_place(struct filling *filling, const struct result_phase *phase,
		       const struct result_bucket *line)
{
	for (uint32_t i = 0; i < phase->hosts_count; i++) {
		uint32_t h = (filling->host + i) % phase->hosts_count;
		const struct result_phase_host *host = &phase->hosts[h];
		if (!text_is(host->host, line->host))
			continue;
		filling->host = h;
		for (uint32_t t = 0; t < host->targets_count; t++)
			if (text_is(host->targets[t].target, line->target)) {
				filling->target = t;
				return true;
			}
		return false;
	}
	return false;
}

static void take_line(void *context, void *record)
{
	struct filling *filling = context;
	const struct result_bucket *line = record;

	if (line->phase == 0 || line->phase > filling->result->phases_count) {
		refuse_line(filling, line, "run.json has no such phase");
		return;
	}
	struct result_phase *phase = &filling->result->phases[line->phase - 1];
	if (!find_place(filling, phase, line) || line->bucket >= BUCKETS_MOST) {
		refuse_line(filling, line, "run.json has no such host, target or bucket");
		return;
	}
	struct series *series =
		&filling->series->phases[line->phase - 1].series[filling->host][filling->target];
	if (line->bucket >= series->count) {
		size_t room = 64;
		while (room <= line->bucket)
			room *= 2;
		series->buckets = mem_resize(series->buckets, room, sizeof(*series->buckets));
		memset(&series->buckets[series->count], 0,
		       (line->bucket + 1 - series->count) * sizeof(*series->buckets));
		series->count = line->bucket + 1;
	}
	series->buckets[line->bucket] = (struct series_bucket){
		.bytes_read = line->bytes_read,
		.bytes_written = line->bytes_written + line->bytes_trimmed,
		.operations = line->operations,
		.errors = line->errors,
		.worst_ns = line->worst_ns,
	};
}

static int read_timeline(const char *bytes, size_t size, struct result *result,
			 struct result_series *series, struct error *err)
{
	struct filling filling = {.result = result, .series = series, .err = err};
	struct yaml_errors errors = {.file = "timeline.csv"};
	bool ok = record_csv_each(&result_bucket_table, bytes, size, take_line, &filling, &errors);

	if (!ok)
		error_set(err, ERROR_USAGE, "%s", errors.count ? errors.lines[0] : "timeline.csv");
	yaml_errors_release(&errors);
	return ok && !filling.failed ? 0 : -1;
}

/* ---- the whole ---- */

int judge_parse_run(const char *json, const struct bytes *timeline, struct result *result,
		    struct result_series *series, struct error *err)
{
	*result = (struct result){0};
	*series = (struct result_series){0};
	if (run_file_parse(result, json, strlen(json), err) < 0)
		return -1;
	make_series(result, series);
	if (timeline &&
	    read_timeline((const char *)timeline->data, timeline->size, result, series, err) < 0) {
		foreign_result_release(result, series);
		return -1;
	}
	forget_verdict(result);
	return 0;
}

/* A run without its timeline is judged without what only that shows. */
int judge_read_run(const char *path, struct result *result, struct result_series *series,
		   struct error *err)
{
	struct bytes json, csv = {0};
	char *copy = mem_text(path), *timeline = mem_format("%s/timeline.csv", dirname(copy));
	bool has_timeline = access(timeline, F_OK) == 0;
	int status = file_read(path, RUN_MAX, &json, err);

	if (status == 0 && has_timeline && file_read(timeline, TIMELINE_MAX, &csv, err) < 0) {
		free(json.data);
		status = -1;
	}
	if (status == 0) {
		status = judge_parse_run((char *)json.data, has_timeline ? &csv : NULL, result,
					 series, err);
		if (status < 0)
			error_prefix(err, "'%s' is no run of this build", path);
		free(json.data);
		free(csv.data);
	}
	free(timeline);
	free(copy);
	return status;
}
