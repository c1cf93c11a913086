#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/text.h"
#include "controller/analysis/catalogue.h"
#include "controller/analysis/findings.h"
#include "controller/foreign.h"
#include "controller/judge.h"
#include "controller/run_file.h"
#include "controller/run_timeline.h"

#define TIMELINE_MAX ((size_t)8 << 30)

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
		"HOST_LOST",       "HOST_REFUSED",     "HOST_BROKEN", "HOST_STOPPED", "HOST_FROZEN",
		"LATE_HEARTBEAT",  "CLOCK_STEP",       "START_SKEW",  "INSECURE",     "AGENT_NOTE",
		"CLOCK_UNCERTAIN", "SUSPEND_DETECTED", NULL};
	static const char *const of_numbers[] = {
		"GENERATOR_MAY_LIMIT", "VALUES_DISAGREE", "COUNTER_WRAP",
		"COUNTER_BACKWARDS",   "TIME_UNKNOWN",    "NO_TIMELINE",
		"TIMELINE_CUT",        "TIMELINE_GAPS",   NULL};

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
	free(result->baseline); /* gates are against the one that is named now */
	result->baseline = NULL;
	if (text_is(result->outcome, "REFUSED") || text_is(result->outcome, "NOT_SET_UP"))
		return; /* nothing was measured that could be judged */
	free(result->outcome);
	free(result->reason);
	result->outcome = result->reason = NULL;
}

/* ---- the whole ---- */

/* Of totals alone there never was one. */
static bool is_of_totals(const struct result *result, const struct result_phase *phase)
{
	for (uint32_t f = 0; f < result->findings_count; f++)
		if (text_is(result->findings[f].code, "NO_TIMELINE") &&
		    findings_is_in(&result->findings[f], phase))
			return true;
	return false;
}

/* What only the timeline shows is not found again, and no gate may pass for want of it. */
static void note_missing(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++) {
		const struct result_phase *phase = &result->phases[p];
		if (phase->cluster && phase->cluster->operations && !is_of_totals(result, phase))
			findings_add(result, "TIMELINE_MISSING", NULL, phase, NULL, NULL, NULL,
				     "there is no timeline.csv beside run.json: whether the phase "
				     "was steady, stood still or went in a rhythm cannot be said");
	}
}

/* Takes the result, as run.json has it; `timeline` NULL: there is none, and no series. */
static int take(struct result *result, struct result_series *series, const struct bytes *timeline,
		struct error *err)
{
	if (timeline) {
		run_timeline_init(result, series);
		if (run_timeline_parse(result, series, (const char *)timeline->data, timeline->size,
				       err) < 0) {
			foreign_result_release(result, series);
			return -1;
		}
	}
	forget_verdict(result);
	if (!timeline)
		note_missing(result);
	return 0;
}

int judge_parse_run(const char *json, const struct bytes *timeline, struct result *result,
		    struct result_series *series, struct error *err)
{
	*series = (struct result_series){0};
	if (run_file_parse(result, json, strlen(json), err) < 0)
		return -1;
	return take(result, series, timeline, err);
}

int judge_read_run(const char *path, struct result *result, struct result_series *series,
		   struct error *err)
{
	struct bytes csv = {0};
	char *timeline = run_file_beside(path, "timeline.csv");
	bool has_timeline = access(timeline, F_OK) == 0;
	int status = run_file_read(result, path, err);

	*series = (struct result_series){0};
	if (status == 0 && has_timeline && file_read(timeline, TIMELINE_MAX, &csv, err) < 0) {
		record_release(&result_table, result);
		status = -1;
	}
	if (status == 0)
		status = take(result, series, has_timeline ? &csv : NULL, err);
	free(csv.data);
	free(timeline);
	return status;
}
