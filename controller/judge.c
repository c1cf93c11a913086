#include "controller/judge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/file.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/baseline.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/gates.h"
#include "controller/analysis/group.h"
#include "controller/foreign.h"
#include "controller/report/form.h"
#include "controller/run_file.h"
#include "proto/version.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

/* What a plan alone is refused for: nothing was measured that could be INVALID. */
static void refuse(struct result *result)
{
	for (uint32_t f = 0; f < result->findings_count && !result->outcome; f++) {
		const struct result_finding *finding = &result->findings[f];
		if (!text_is(finding->level, "REFUSE"))
			continue;
		char *place = findings_place(finding);
		result->outcome = mem_text(result_outcome_names[RESULT_OUTCOME_REFUSED]);
		result->reason = mem_format("%s, %s: %s", finding->code, place, finding->evidence);
		free(place);
	}
}

int judge_result(struct result *result, const struct result_series *series,
		 const struct result *baseline)
{
	findings_compute(result, series);
	gates_compute(result, series, baseline);
	group_withhold(result, series);
	if (!result->phases_count)
		refuse(result);
	return result_exit_code(gates_outcome(result));
}

/* What every file is judged with. */
struct judging {
	const struct report_form *form;
	const char *baseline_path;     /* NULL: none */
	const struct result *baseline; /* read from there */
};

/* Takes the baseline for the result's, where it can be one. */
static int hold_against(struct result *result, const struct judging *judging, struct error *err)
{
	if (!judging->baseline)
		return 0;
	if (baseline_check_use(result->plan, judging->baseline_path, err) < 0)
		return -1;
	if (baseline_check(result->plan, judging->baseline, err) < 0) {
		error_prefix(err, "--baseline");
		return -1;
	}
	result->baseline = mem_text(judging->baseline->run);
	baseline_note(result, judging->baseline);
	return 0;
}

static int judge_and_print(struct result *result, struct result_series *series, const char *path,
			   const struct judging *judging)
{
	struct error err;
	int code = EXIT_USAGE;

	if (hold_against(result, judging, &err) < 0) {
		log_error("%s: %s", path, err.text);
	} else {
		code = judge_result(result, series, judging->baseline);
		char *where = mem_format("of '%s'; nothing was measured or written", path);
		judging->form->print(result, series, where, stdout);
		free(where);
	}
	foreign_result_release(result, series);
	return code;
}

/* ---- foreign numbers ---- */

static int judge_foreign(const char *path, const struct judging *judging)
{
	struct yaml_errors errors = {.file = path};
	struct foreign foreign;
	struct result result;
	struct result_series series;
	int code = EXIT_USAGE;

	if (foreign_read(&foreign, path, &errors)) {
		foreign_build(&foreign, &result, &series);
		result.version = mem_text(version_text());
		foreign_release(&foreign);
		code = judge_and_print(&result, &series, path, judging);
	}
	yaml_errors_print(&errors);
	yaml_errors_release(&errors);
	return code;
}

/* ---- runs ---- */

static int judge_run(const char *path, const struct judging *judging)
{
	struct result result;
	struct result_series series;
	struct error err;

	if (judge_read_run(path, &result, &series, &err) < 0) {
		log_error("%s", err.text);
		return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	return judge_and_print(&result, &series, path, judging);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static int judge_one(const char *path, const struct judging *judging)
{
	if (is_directory(path) || ends_with(path, ".json"))
		return judge_run(path, judging);
	if (ends_with(path, ".csv")) {
		log_error("'%s' is a table by itself: name it in a file that says what it is of "
			  "(judge: 1, phases, measured; docs/JUDGE.md), and judge that",
			  path);
		return EXIT_USAGE;
	}
	return judge_foreign(path, judging);
}

/* ---- all of them ---- */

static int worse(int a, int b)
{
	static const int order[] = {0, 4, 1, 5, 3, 2, 6};
	size_t rank_a = 0, rank_b = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		rank_a = order[i] == a ? i : rank_a;
		rank_b = order[i] == b ? i : rank_b;
	}
	return rank_a > rank_b ? a : b;
}

int judge_execute(const struct options *options)
{
	struct judging judging = {.form = report_form_find(options->as)};
	struct result baseline = {0};
	struct error err;
	int code = 0;

	if (!judging.form)
		return EXIT_USAGE;
	if (options->baseline) {
		if (run_file_read(&baseline, options->baseline, &err) < 0) {
			log_error("--baseline: %s", err.text);
			return EXIT_USAGE;
		}
		judging.baseline_path = options->baseline;
		judging.baseline = &baseline;
	}
	for (uint32_t i = 0; i < options->operands_count; i++) {
		if (i && judging.form == report_form_find(NULL))
			putchar('\n');
		code = worse(code, judge_one(options->operands[i], &judging));
	}
	record_release(&result_table, &baseline);
	return code;
}
