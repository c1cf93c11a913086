/* form.h - the forms in which a result can be printed: --as of `muster report` and `muster judge`.
 */
#ifndef MUSTER_CONTROLLER_REPORT_FORM_H
#define MUSTER_CONTROLLER_REPORT_FORM_H

#include <stdio.h>

#include "controller/result.h"

struct report_form {
	const char *name;
	/* `series` NULL: no timelines; `where` says what the result is of. */
	void (*print)(const struct result *result, const struct result_series *series,
		      const char *where, FILE *file);
};

/* NULL asks for text. One that there is not is logged, and NULL. */
const struct report_form *report_form_find(const char *as);

#endif
