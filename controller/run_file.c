#include "controller/run_file.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "controller/analysis/findings.h"
#include "controller/store_again.h"
#include "proto/version.h"

#define NAME       "run.json"
#define MOST_BYTES (UINT64_C(1) << 30) /* a thousand hosts of 64 workers take a tenth of it */

/* ---- what the tables do not say ---- */

static bool is_one_of(const char *text, const char *const *names)
{
	return text && record_enum_find(names, text) >= 0;
}

static int refuse(struct error *err, const char *list, uint32_t index, const char *what)
{
	error_set(err, ERROR_USAGE, "%s[%u]: %s", list, index, what);
	return -1;
}

static int check_phase(const struct result_phase *phase, uint32_t index, struct error *err)
{
	if (!phase->name || !phase->op || !phase->trial || !phase->bucket_ns)
		return refuse(err, "phases", index, "has no name, op, trial or bucket_ns");
	if (phase->cluster && phase->cluster_partial)
		return refuse(err, "phases", index,
			      "has cluster and cluster_partial; only one can be");
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		if (!host->host || !host->state)
			return refuse(err, "phases", index, "a host has no name or state");
		for (uint32_t t = 0; t < host->targets_count; t++)
			if (!host->targets[t].target)
				return refuse(err, "phases", index, "a target has no name");
	}
	return 0;
}

static int check_phases(const struct result *result, struct error *err)
{
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (!result->hosts[h].host)
			return refuse(err, "hosts", h, "has no name");
	for (uint32_t g = 0; result->plan && g < result->plan->gates_count; g++)
		if (!result->plan->gates[g].phase)
			return refuse(err, "plan.gates", g, "names no phase");
	for (uint32_t p = 0; p < result->phases_count; p++)
		if (check_phase(&result->phases[p], p, err) < 0)
			return -1;
	return 0;
}

static int check_findings(const struct result *result, struct error *err)
{
	static const char *const levels[] = {"REFUSE", "INVALID", "WARN", "NOTE", NULL};

	for (uint32_t f = 0; f < result->findings_count; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!finding->code || !is_one_of(finding->level, levels)) {
			error_set(err, ERROR_USAGE,
				  "findings[%u]: '%.40s' is no level of a finding with a code", f,
				  text_or(finding->level, ""));
			return -1;
		}
	}
	return 0;
}

static int check_gates(const struct result *result, struct error *err)
{
	static const char *const states[] = {"PASS", "FAIL", "INVALID", "INCONCLUSIVE", NULL};

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *gate = &result->gates[g];
		if (!is_one_of(gate->state, states) ||
		    !is_one_of(gate->metric, plan_metric_names) || !gate->phase || !gate->who ||
		    !gate->limit) {
			error_set(err, ERROR_USAGE,
				  "gates[%u]: is not whole: it needs phase, metric, who, limit and "
				  "a state that is PASS, FAIL, INVALID or INCONCLUSIVE",
				  g);
			return -1;
		}
	}
	return 0;
}

static int check(const struct result *result, struct error *err)
{
	if (!is_one_of(result->outcome, result_outcome_names)) {
		error_set(err, ERROR_USAGE, "outcome: '%.40s' is none",
			  text_or(result->outcome, ""));
		return -1;
	}
	return check_phases(result, err) || check_findings(result, err) || check_gates(result, err)
		       ? -1
		       : 0;
}

/* ---- reading ---- */

/* What even a result of a schema that this build does not know is asked for. */
struct head {
	char *schema, *version;
};
static const struct record_row head_rows[] = {
	{MEMBER(struct head, schema), .required = true, .doc = RESULT_SCHEMA},
	{MEMBER(struct head, version), .doc = "of muster"},
};
static const struct record_table head_table =
	RECORD_TABLE(struct head, "head", head_rows, "What a run.json begins with.");

#define FAMILY "muster.run/"

/* Why it cannot be read is another build's schema, or that build's words, or the file itself. */
static void tell_build(const char *text, struct error *err)
{
	struct record_json_gaps gaps = {0};
	struct error none;
	struct head head = {0};

	if (record_json_parse_other(&head_table, &head, text, &gaps, &none) == 0) {
		if (strncmp(head.schema, FAMILY, strlen(FAMILY)) != 0)
			error_set(err, ERROR_USAGE, "schema: '%.40s' is not " RESULT_SCHEMA,
				  head.schema);
		else if (!text_is(head.schema, RESULT_SCHEMA))
			error_set(err, ERROR_USAGE,
				  "schema '%.40s' is another than " RESULT_SCHEMA
				  ", which this build, muster %s, reads: use the build that wrote "
				  "it, muster %.40s",
				  head.schema, version_text(), text_or(head.version, "of later"));
		else if (!text_is(head.version, version_text()))
			error_prefix(
				err, "written by muster %.40s, and this build, %s, cannot use it",
				text_or(head.version, "of an unknown version"), version_text());
		record_release(&head_table, &head);
	}
	record_json_gaps_release(&gaps);
}

/* What a reader has to know of a file whose tables are not ours. */
static void note_build(struct result *result, const struct record_json_gaps *gaps)
{
	if (!gaps->unknown && !gaps->absent)
		return;
	findings_add(result, "OTHER_BUILD", NULL, NULL, NULL, NULL, NULL,
		     "written by muster %s and read by %s%s%s%s%s",
		     text_or(result->version, "of an unknown version"), version_text(),
		     gaps->unknown ? "; left out, since not known here: " : "",
		     text_or(gaps->unknown, ""),
		     gaps->absent ? "; not in it, so taken as never told: " : "",
		     text_or(gaps->absent, ""));
}

int run_file_parse(struct result *result, const char *text, size_t size, struct error *err)
{
	struct record_json_gaps gaps = {0};
	int status;

	*result = (struct result){0};
	if (strlen(text) != size) {
		error_set(err, ERROR_USAGE, "byte %zu is NUL, which no JSON has", strlen(text) + 1);
		return -1;
	}
	status = record_json_parse_other(&result_table, result, text, &gaps, err);
	if (status == 0 && (!text_is(result->schema, RESULT_SCHEMA) || check(result, err) < 0)) {
		record_release(&result_table, result);
		status = -1;
	}
	if (status < 0)
		tell_build(text, err);
	else
		note_build(result, &gaps);
	record_json_gaps_release(&gaps);
	return status;
}

static int read_text(struct result *result, const char *path, struct error *err)
{
	struct bytes text;

	if (file_read(path, MOST_BYTES, &text, err) < 0)
		return -1;
	int status = run_file_parse(result, (const char *)text.data, text.size, err);
	if (status < 0)
		error_prefix(err, "%s", path);
	free(text.data);
	return status;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *run_file_beside(const char *path, const char *name)
{
	if (is_directory(path))
		return mem_format("%s/%s", path, name);
	char *copy = mem_text(path), *beside = mem_format("%s/%s", dirname(copy), name);
	free(copy);
	return beside;
}

int run_file_read(struct result *result, const char *path, struct error *err)
{
	char *file = is_directory(path) ? run_file_beside(path, NAME) : mem_text(path);

	*result = (struct result){0};
	char *unfinished = access(file, F_OK) < 0 ? store_again_unfinished(path) : NULL;
	int status = -1;
	if (unfinished)
		error_set(err, ERROR_USAGE, "%s", unfinished);
	else
		status = read_text(result, file, err);
	free(unfinished);
	free(file);
	return status;
}
