/* A run.json: refused with a reason, or every report can be made of it, whatever its figures are,
 * and it reads back from what it is written as. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "controller/analysis/baseline.h"
#include "controller/report/github.h"
#include "controller/report/report.h"
#include "controller/run_file.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void report_all(const struct result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	report_text(result, NULL, "somewhere", file);
	report_markdown(result, file);
	report_junit(result, file);
	github_annotate(result, file);
	fclose(file);
	for (size_t i = 0; i < size; i++)
		assert((unsigned char)text[i] >= ' ' || text[i] == '\n');
	free(text);
}

static void read_again(const struct result *result)
{
	char *text = record_json_format(&result_table, result);
	struct result again;
	struct error err = {0};

	assert(run_file_parse(&again, text, strlen(text), &err) == 0);
	assert(again.phases_count == result->phases_count);
	record_release(&result_table, &again);
	free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = mem_new(size + 1, 1);
	struct result result;
	struct error err = {0};

	if (size)
		memcpy(text, data, size);
	if (run_file_parse(&result, text, size, &err) < 0) {
		assert(err.kind == ERROR_USAGE && err.text[0] && !result.phases);
	} else {
		accepted = true;
		report_all(&result);
		read_again(&result);
		for (uint32_t g = 0; result.plan && g < result.plan->gates_count; g++)
			baseline_figure(&result, result.plan->gates[g].phase, "a", NULL,
					PLAN_METRIC_P99_LATENCY);
		if (result.plan)
			baseline_check(result.plan, &result, &err);
		record_release(&result_table, &result);
	}
	free(text);
	return 0;
}
