#include "controller/report/github.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/gates.h"
#include "controller/report/digest.h"
#include "controller/report/layout.h"
#include "controller/report/report.h"

#define MOST 10 /* annotations of a kind that GitHub shows for a step */

struct annotations {
	FILE *file;
	uint32_t errors, warnings;
};

/* The runner reads to the end of the line, and a title to the next ',' or ':'. */
static void put(FILE *file, const char *text, bool is_property)
{
	char *clean = layout_clean(text);

	for (const char *at = clean; *at; at++)
		if (*at == '%' || (is_property && (*at == ':' || *at == ',')))
			fprintf(file, "%%%02X", (unsigned char)*at);
		else
			fputc(*at, file);
	free(clean);
}

static void annotate(struct annotations *to, bool is_error, const char *title, const char *text)
{
	uint32_t *count = is_error ? &to->errors : &to->warnings;

	if (++*count > MOST)
		return;
	fprintf(to->file, "::%s title=", is_error ? "error" : "warning");
	put(to->file, title, true);
	fputs("::", to->file);
	put(to->file, text, false);
	fputc('\n', to->file);
}

static void annotate_findings(struct annotations *to, const struct result *result)
{
	struct digest digest;

	digest_init(&digest, result);
	for (uint32_t e = 0; e < digest.count; e++) {
		const struct result_finding *first = digest.entries[e].first;
		if (text_is(first->level, "NOTE"))
			continue;
		char *line = digest_line(result, &digest.entries[e]);
		char *title = mem_format("muster %s: %s", text_or(first->level, "?"),
					 text_or(first->code, "?"));
		char *text = mem_format("%s%s%s", line, first->advice ? " -> " : "",
					text_or(first->advice, ""));
		annotate(to, !text_is(first->level, "WARN"), title, text);
		free(text);
		free(title);
		free(line);
	}
	digest_release(&digest);
}

/* INVALID ones follow from a finding, which was said. */
static void annotate_gates(struct annotations *to, const struct result *result)
{
	char value[UNITS_TEXT_SIZE], margin[UNITS_TEXT_SIZE];

	for (uint32_t g = 0; g < result->gates_count; g++) {
		const struct result_gate *gate = &result->gates[g];
		bool failed = text_is(gate->state, "FAIL");
		if (!failed && !text_is(gate->state, "INCONCLUSIVE"))
			continue;
		char *title = mem_format("muster %s: %s of %s", gate->state,
					 text_or(gate->metric, "?"), text_or(gate->who, "?"));
		gates_format_margin(margin, gate);
		char *text = mem_format("phase '%s': %s, the gate says %s%s%s%s%s",
					text_or(gate->phase, "?"), gates_format_value(value, gate),
					text_or(gate->limit, "?"), *margin ? ", margin " : "",
					margin, gate->text ? "; " : "", text_or(gate->text, ""));
		annotate(to, failed, title, text);
		free(text);
		free(title);
	}
}

void github_annotate(const struct result *result, FILE *file)
{
	struct annotations to = {.file = file};

	if (text_is(result->outcome, "REFUSED") || text_is(result->outcome, "NOT_SET_UP"))
		annotate(&to, true, "muster", text_or(result->reason, result->outcome));
	annotate_findings(&to, result);
	annotate_gates(&to, result);
}

static int append_summary(const struct result *result, const char *path, struct error *err)
{
	FILE *file = fopen(path, "a");

	if (file) {
		report_markdown(result, file);
		if (!ferror(file) && fclose(file) == 0)
			return 0;
	}
	error_set(err, ERROR_SYSTEM, "cannot write the summary to '%s' (GITHUB_STEP_SUMMARY): %s",
		  path, strerror(errno));
	return -1;
}

int github_report(const struct result *result, FILE *file, struct error *err)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");

	if (text_is(getenv("GITHUB_ACTIONS"), "true"))
		github_annotate(result, file);
	return summary && *summary ? append_summary(result, summary, err) : 0;
}
