#include "controller/retell.h"

#include <stdio.h>

#include "common/log.h"
#include "controller/report/form.h"
#include "controller/run_file.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

int retell_execute(const char *run, const char *as)
{
	const struct report_form *form = report_form_find(as);
	struct result result;
	struct error err = {0};

	if (!form)
		return EXIT_USAGE;
	if (run_file_read(&result, run, &err) < 0) {
		log_error("%s", err.text);
		return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
	}
	form->print(&result, NULL, run, stdout);
	record_release(&result_table, &result);
	return 0;
}
