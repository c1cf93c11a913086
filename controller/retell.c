#include "controller/retell.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/nearest.h"
#include "common/record_json.h"
#include "common/text.h"
#include "controller/report/report.h"
#include "controller/run_file.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

static void print_text(const struct result *result, const char *run, FILE *file)
{
	report_text(result, NULL, run, file);
}

static void print_markdown(const struct result *result, const char *run, FILE *file)
{
	(void)run;
	report_markdown(result, file);
}

static void print_junit(const struct result *result, const char *run, FILE *file)
{
	(void)run;
	report_junit(result, file);
}

static void print_json(const struct result *result, const char *run, FILE *file)
{
	char *text = record_json_format(&result_table, result);

	(void)run;
	fputs(text, file);
	free(text);
}

static const struct form {
	const char *name;
	void (*print)(const struct result *result, const char *run, FILE *file);
} forms[] = {
	{"text", print_text},
	{"markdown", print_markdown},
	{"junit", print_junit},
	{"json", print_json},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static const struct form *find_form(const char *as)
{
	struct nearest nearest = nearest_start(text_or(as, ""));

	for (int f = 0; f < FORMS; f++) {
		if (!as || text_is(forms[f].name, as))
			return &forms[f];
		nearest_try(&nearest, forms[f].name);
	}
	log_error("--as '%s' is no form of a report%s%s%s; see muster --help", as,
		  nearest.name ? "; did you mean '" : "", text_or(nearest.name, ""),
		  nearest.name ? "'?" : "");
	return NULL;
}

int retell_execute(const char *run, const char *as)
{
	const struct form *form = find_form(as);
	struct result result;
	struct error err = {0};

	if (!form)
		return EXIT_USAGE;
	if (run_file_read(&result, run, &err) < 0) {
		log_error("%s", err.text);
		return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	form->print(&result, run, stdout);
	record_release(&result_table, &result);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	log_error("cannot write the report to standard output");
	return EXIT_SET_UP;
}
