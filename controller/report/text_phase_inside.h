/* text_phase_inside.h - what the files of the report on a phase share. */
#ifndef MUSTER_CONTROLLER_REPORT_TEXT_PHASE_INSIDE_H
#define MUSTER_CONTROLLER_REPORT_TEXT_PHASE_INSIDE_H

#include <stdio.h>

#include "controller/result.h"

#define INDENT 2

/* What stands around a figure that a finding makes INVALID. */
const char *text_strike(bool invalid);

void text_print_targets(const struct result *result, const struct result_phase *phase, FILE *file);
void text_print_times(const struct result *result, const struct result_phase *phase,
		      const struct phase *plan, FILE *file);
/* Of a mix of block sizes. */
void text_print_sizes(const struct result_phase *phase, FILE *file);
/* Hosts that did not end as they should. */
void text_print_states(const struct result_phase *phase, FILE *file);
void text_print_verified(const struct result_phase *phase, FILE *file);

#endif
