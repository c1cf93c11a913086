/* keygen.h - muster keygen: pairs of keys for controllers and agents. */
#ifndef MUSTER_CONTROLLER_KEYGEN_H
#define MUSTER_CONTROLLER_KEYGEN_H

#include "controller/options.h"

/* Makes a pair for each name and says which files they are and what they are for; answers the exit
 * code. It stops at the first that cannot be made; those before stay. */
int keygen_execute(const struct options *options);

#endif
