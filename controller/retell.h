/* retell.h - muster report RUN: a run that was written, printed again in a form. */
#ifndef MUSTER_CONTROLLER_RETELL_H
#define MUSTER_CONTROLLER_RETELL_H

/* `as` NULL: text. Answers the program's exit code: 0, 2 for a form or run that is none, 6 where
 * nothing can be read or printed; the run's own outcome is in what is printed. */
int retell_execute(const char *run, const char *as);

#endif
