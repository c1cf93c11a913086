#include "controller/keygen.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/nodeset.h"
#include "proto/key.h"

enum { EXIT_USAGE = 2, EXIT_SET_UP = 6 };

static int make_all(const char *directory, const struct nodeset *set, struct error *err)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (key_make(directory, set->names[i], err) < 0)
			return -1;
		printf("%s/%s.secret  stays with '%s' alone\n"
		       "%s/%s.key     goes to whoever talks to it\n",
		       directory, set->names[i], set->names[i], directory, set->names[i]);
	}
	return 0;
}

int keygen_execute(const struct options *options)
{
	char *directory = options->directory ? NULL : key_directory();
	const char *where = options->directory ? options->directory : directory;
	struct error err;
	int failed = 0;

	for (uint32_t i = 0; i < options->operands_count && !failed; i++) {
		struct nodeset set = {0};
		failed = nodeset_parse(&set, options->operands[i], &err) < 0 ||
			 make_all(where, &set, &err) < 0;
		nodeset_release(&set);
	}
	free(directory);
	if (!failed)
		return 0;
	log_error("%s", err.text);
	return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_SET_UP;
}
