/* getopt_error.h - getopt_long without its guesses, and what is wrong with a command line that it
 * stumbled over. */
#ifndef MUSTER_COMMON_GETOPT_ERROR_H
#define MUSTER_COMMON_GETOPT_ERROR_H

#include "common/error.h"

struct option;

/* As getopt_long, but that a long option which is not written out is '?': what "--se" is short for
 * changes with the next option that there is. */
int getopt_whole(int argc, char **argv, const char *letters, const struct option *known);

/* Sets an ERROR_USAGE: `result` is what getopt_whole has just answered, ':' (an option lacks its
 * value) or '?' (there is none of that name: the nearest of `known` is told; or it takes no
 * value). */
void getopt_error(struct error *err, const char *program, int result, char *const *argv,
		  const struct option *known);

#endif
