/* options.h - the command line of muster-agent. */
#ifndef MUSTER_AGENT_OPTIONS_H
#define MUSTER_AGENT_OPTIONS_H

#include <stdbool.h>

#include "common/error.h"

struct options {
	const char *config; /* --config; NULL: /etc/muster/agent.yaml */
	const char *listen; /* --listen; NULL: as in the config */
	bool insecure;      /* --insecure: no keys, also beyond the loopback */
	bool child;         /* --child: end when standard input closes */
	bool keys_on_stdin; /* --keys-on-stdin: its first line is one-time keys */
	bool verbose;
	bool help, version;
};

/* 0, or -1 (ERROR_USAGE). */
int options_parse(struct options *options, int argc, char **argv, struct error *err);

extern const char options_usage[];

#endif
