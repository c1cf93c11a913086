/* getopt_error.h - what is wrong with a command line that getopt_long stumbled over. */
#ifndef MUSTER_COMMON_GETOPT_ERROR_H
#define MUSTER_COMMON_GETOPT_ERROR_H

#include "common/error.h"

struct option;

/* Sets an ERROR_USAGE: `result` is what getopt_long has just answered, ':' (an option lacks its
 * value) or '?' (there is none of that name: the nearest of `known` is told, or which it could be
 * short for; or it takes no value). */
void getopt_error(struct error *err, const char *program, int result, char *const *argv,
		  const struct option *known);

#endif
