#include "controller/report/form.h"

#include <stdlib.h>

#include "common/log.h"
#include "common/nearest.h"
#include "common/record_json.h"
#include "common/text.h"
#include "controller/report/report.h"

static void print_markdown(const struct result *result, const struct result_series *series,
			   const char *where, FILE *file)
{
	(void)series;
	(void)where;
	report_markdown(result, file);
}

static void print_junit(const struct result *result, const struct result_series *series,
			const char *where, FILE *file)
{
	(void)series;
	(void)where;
	report_junit(result, file);
}

static void print_json(const struct result *result, const struct result_series *series,
		       const char *where, FILE *file)
{
	char *text = record_json_format(&result_table, result);

	(void)series;
	(void)where;
	fputs(text, file);
	free(text);
}

static const struct report_form forms[] = {
	{"text", report_text},
	{"markdown", print_markdown},
	{"junit", print_junit},
	{"json", print_json},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

const struct report_form *report_form_find(const char *as)
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
