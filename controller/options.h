/* options.h - the command line of muster. */
#ifndef MUSTER_CONTROLLER_OPTIONS_H
#define MUSTER_CONTROLLER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

enum options_command {
	OPTIONS_RUN,
	OPTIONS_CHECK,
	OPTIONS_FLEET,
	OPTIONS_REPORT,
	OPTIONS_EXPLAIN,
	OPTIONS_VERIFY,
	OPTIONS_COLLECT,
	OPTIONS_KEYGEN,
	OPTIONS_JUDGE,
	OPTIONS_HELP,
	OPTIONS_VERSION,
};

struct options {
	enum options_command command;
	const char *operand; /* the command's: a plan, a code to explain, a run directory; help: the
				command that it is about, NULL: all */
	char *const *operands; /* all of them, with judge */
	uint32_t operands_count;
	const char *out;      /* --out; NULL: ./muster-runs/<run> */
	const char *sign_key; /* run: the secret key; NULL: MUSTER_SIGN_KEY */
	const char *key;      /* verify: the public key; else this controller's; NULL: the plan's */
	const char *directory; /* --dir of keygen; NULL: where keys are by name */
	const char *plan;      /* --plan of collect; NULL: the run directory has it */
	const char *baseline;  /* run: a run directory; NULL: none */
	const char *as;        /* report, judge: a form (report/form.h); NULL: text */
	char **settings;       /* --set, in order */
	uint32_t settings_count;
	bool insecure;
	bool signing; /* keygen --sign */
	bool fleet;   /* check: ask the hosts too */
	bool strict;  /* check: warnings refuse */
	bool resume;  /* run: the operand is a run directory */
	bool quiet;   /* no progress */
	bool verbose;
};

/* 0, or -1 (ERROR_USAGE). */
int options_parse(struct options *options, int argc, char **argv, struct error *err);
void options_release(struct options *options);

extern const char options_usage[];

/* The usage text, or of it what is about one command; `command` is NULL, or a command's word. */
void options_help(FILE *file, const char *command);

/* Whether a command, in any of its forms, takes an option, told without its dashes. */
bool options_take(const char *command, const char *option);

#endif
