/* blocks.h - a phase's timeline of the whole cluster as one line of block characters. */
#ifndef MUSTER_CONTROLLER_REPORT_BLOCKS_H
#define MUSTER_CONTROLLER_REPORT_BLOCKS_H

#include <stdio.h>

#include "controller/result.h"

#define BLOCKS_WIDTH 80

/* Prints the scale and the line, each behind `indent` blanks; nothing where there is no timeline.
 * A column is one or several whole buckets, its height their mean rate against that of the highest
 * column; '.' is a column without a byte, '|' parts the ramp from what is measured. */
void blocks_print(const struct result_phase *phase, const struct phase_series *series, int indent,
		  FILE *file);

#endif
