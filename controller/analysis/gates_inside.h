/* gates_inside.h - what the files of the gates share. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_GATES_INSIDE_H
#define MUSTER_CONTROLLER_ANALYSIS_GATES_INSIDE_H

#include "controller/analysis/gate_figures.h"

/* What a row of result->gates is about; beside it while they are made. */
struct gate_row {
	const struct plan_gate *gate;
	const struct result_phase *phase;  /* NULL: it was not run */
	const struct result_phase *other;  /* that it is held against; NULL: none, or not run */
	const char *host, *target, *value; /* of a label; NULL: all */
	const char *lack;                  /* why there is no figure; NULL: it was not measured */
};

/* Rows of gates on errors have been judged: findings that they allow become notes. */
void gates_allow_errors(struct result *result);

/* State, margin and text of a row from its figure and the findings that cover it. */
void gates_judge(struct result *result, uint32_t row, const struct gate_row *about);

/* Where a gate and whom it is of have rows of six trials or more: the interval of their median. */
void gates_add_intervals(struct result *result, const struct gate_row *about);

/* What is said of rows that are judged and whose interval has the limit in it. The state stays: it
 * is the figure's. */
void gates_note_borders(struct result *result, const struct gate_row *about);

/* The label's value of a host of the run; NULL: it has none. */
const char *gates_label(const struct result *result, const char *host, const char *label);

#endif
