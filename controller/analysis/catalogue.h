/* catalogue.h - every finding that muster can make, one row each.
 *
 * From here come the level and the advice of a finding, `muster explain` and docs/FINDINGS.md. A
 * row is there when the code can be raised, and a code is raised when its row is there:
 * tests/unit/catalogue_test.c holds the sources to it. A new finding is its rule and its row. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_CATALOGUE_H
#define MUSTER_CONTROLLER_ANALYSIS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalogue_row {
	const char *code;    /* TOO_SHORT */
	const char *levels;  /* that it can have, the usual one first: "WARN, NOTE" */
	const char *meaning; /* one sentence */
	const char *rule;    /* formula, limits, least data */
	const char *source;  /* where the rule comes from */
	const char *advice;  /* what to do; NULL: nothing */
};

/* Rows that belong together in a file and in the documentation. */
struct catalogue_part {
	const char *title;
	const struct catalogue_row *rows;
	uint32_t count;
};
#define CATALOGUE_PART(text, row_array)                                                            \
	{                                                                                          \
		.title = text, .rows = row_array,                                                  \
		.count = sizeof(row_array) / sizeof((row_array)[0])                                \
	}

extern const struct catalogue_part catalogue_hosts;
extern const struct catalogue_part catalogue_refusals;
extern const struct catalogue_part catalogue_windows;
extern const struct catalogue_part catalogue_devices;
extern const struct catalogue_part catalogue_timelines;
extern const struct catalogue_part catalogue_comparisons;
extern const struct catalogue_part catalogue_storage;
extern const struct catalogue_part catalogue_sweeps;

/* All parts, in the order of the documentation; ends with NULL. */
extern const struct catalogue_part *const catalogue_parts[];

/* NULL when there is none of that code. Letters may be small. */
const struct catalogue_row *catalogue_find(const char *code);

/* The level that the row has when nothing says otherwise; a constant. */
const char *catalogue_level(const struct catalogue_row *row);

/* Whether a finding of the row may have the level. */
bool catalogue_has_level(const struct catalogue_row *row, const char *level);

#endif
