/* text_phase.h - the part of the text report that is about one phase. */
#ifndef MUSTER_CONTROLLER_REPORT_TEXT_PHASE_H
#define MUSTER_CONTROLLER_REPORT_TEXT_PHASE_H

#include <stdio.h>

#include "controller/result.h"

/* Phase `index` of the result; `series` may be NULL. */
void text_phase_print(const struct result *result, uint32_t index,
		      const struct phase_series *series, FILE *file);

#endif
