/* text_engines.h - the lines of the text report that say how I/O was issued, and why that way. */
#ifndef MUSTER_CONTROLLER_REPORT_TEXT_ENGINES_H
#define MUSTER_CONTROLLER_REPORT_TEXT_ENGINES_H

#include <stdio.h>

#include "controller/result.h"

/* A line for each engine and reason of the phase, with whose it is where there are several. */
void text_engines_print(const struct result_phase *phase, int indent, FILE *file);

#endif
