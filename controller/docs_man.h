/* docs_man.h - the controller's manual pages. */
#ifndef MUSTER_CONTROLLER_DOCS_MAN_H
#define MUSTER_CONTROLLER_DOCS_MAN_H

#include <stdio.h>

/* muster(1). */
void docs_man_muster(FILE *file);

/* muster-plan(5), which begins with `intro`. */
void docs_man_plan(FILE *file, const char *intro);

#endif
