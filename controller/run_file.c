#include "controller/run_file.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
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

/* Of "schema": "…" at its beginning, where every run.json has it: one of another build is told
 * apart from something that never was one. */
static bool has_schema(const char *text)
{
	const char *at = text + strspn(text, " \t\r\n{");

	return strncmp(at, "\"schema\"", 8) == 0 && strstr(at, "\"muster.run/");
}

int run_file_parse(struct result *result, const char *text, size_t size, struct error *err)
{
	*result = (struct result){0};
	if (strlen(text) != size) {
		error_set(err, ERROR_USAGE, "byte %zu is NUL, which no JSON has", strlen(text) + 1);
		return -1;
	}
	if (record_json_parse(&result_table, result, text, err) < 0) {
		if (has_schema(text))
			error_prefix(err, "not of this build, muster %s, or changed since",
				     version_text());
		return -1;
	}
	if (text_is(result->schema, RESULT_SCHEMA) && check(result, err) == 0)
		return 0;
	if (!text_is(result->schema, RESULT_SCHEMA))
		error_set(err, ERROR_USAGE, "schema: '%.40s' is not " RESULT_SCHEMA,
			  text_or(result->schema, ""));
	record_release(&result_table, result);
	return -1;
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
	int status = read_text(result, file, err);
	free(file);
	return status;
}
