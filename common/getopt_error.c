#include "common/getopt_error.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nearest.h"

/* The option itself, not a value behind it. */
static const char *last_option(char *const *argv)
{
	const char *word = argv[optind - 1];

	return optarg && optarg == word ? argv[optind - 2] : word;
}

int getopt_whole(int argc, char **argv, const char *letters, const struct option *known)
{
	int which = -1;

	optarg = NULL;
	int option = getopt_long(argc, argv, letters, known, &which);
	if (option == -1 || option == '?' || option == ':' || which < 0)
		return option;
	const char *name = last_option(argv) + strlen("--");
	return strcspn(name, "=") == strlen(known[which].name) ? option : '?';
}

void getopt_error(struct error *err, const char *program, int result, char *const *argv,
		  const struct option *known)
{
	const char *word = last_option(argv);
	bool is_long = strncmp(word, "--", 2) == 0 && word[2];

	if (result == ':') {
		error_set(err, ERROR_USAGE, "'%s' needs a value; see %s --help", word, program);
		return;
	}
	if (!is_long) {
		error_set(err, ERROR_USAGE, "unknown option '-%c'; see %s --help", optopt, program);
		return;
	}
	char *name = mem_format("%.*s", (int)strcspn(word + 2, "="), word + 2);
	struct nearest nearest = nearest_start(name);
	for (; known->name && strcmp(known->name, name) != 0; known++)
		nearest_try(&nearest, known->name);
	if (known->name)
		error_set(err, ERROR_USAGE, "'--%s' takes no value; see %s --help", name, program);
	else if (nearest.name)
		error_set(err, ERROR_USAGE,
			  "unknown option '--%s'; nearest is '--%s'; see %s --help", name,
			  nearest.name, program);
	else
		error_set(err, ERROR_USAGE, "unknown option '--%s'; see %s --help", name, program);
	free(name);
}
