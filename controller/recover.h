/* recover.h - muster collect, and muster run --resume: runs that did not come to their end. */
#ifndef MUSTER_CONTROLLER_RECOVER_H
#define MUSTER_CONTROLLER_RECOVER_H

#include "controller/options.h"

/* `muster collect RUN`: fetches what the agents of the run still have of it, makes the figures of
 * all that is there and writes the run directory. Answers the program's exit code, that of the
 * outcome; hosts that cannot be reached are told, and can be asked again. */
int recover_collect(const struct options *options);

/* `muster run --resume RUN`: run_again(), with the plan and the journal of the directory. */
int recover_resume(const struct options *options);

#endif
