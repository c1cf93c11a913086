/* options.h - the command line of muster. */
#ifndef MUSTER_CONTROLLER_OPTIONS_H
#define MUSTER_CONTROLLER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum options_command {
	OPTIONS_RUN,
	OPTIONS_CHECK,
	OPTIONS_FLEET,
	OPTIONS_EXPLAIN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
};

struct options {
	enum options_command command;
	const char
		*operand; /* the command's: the plan of run, check and fleet; the code of explain */
	const char *out;  /* --out; NULL: ./muster-runs/<run> */
	char **settings;  /* --set, in order */
	uint32_t settings_count;
	bool insecure;
	bool fleet; /* check: ask the hosts too */
	bool quiet; /* no progress */
	bool verbose;
};

/* 0, or -1 (ERROR_USAGE). */
int options_parse(struct options *options, int argc, char **argv, struct error *err);
void options_release(struct options *options);

extern const char options_usage[];

#endif
