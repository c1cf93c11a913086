/* explain.h - what a finding means: for a person at the terminal, and as docs/FINDINGS.md. */
#ifndef MUSTER_CONTROLLER_REPORT_EXPLAIN_H
#define MUSTER_CONTROLLER_REPORT_EXPLAIN_H

#include <stdio.h>

#include "common/error.h"

/* One code with all that the catalogue has of it, or -1 with the nearest one; NULL: the list. */
int explain(const char *code, FILE *file, struct error *err);

/* docs/FINDINGS.md. */
void explain_page(FILE *file);

#endif
