/* made_list_fuzz.c - the agent's journal of files that it made: each line is applied or damaged,
 * and what holds after all of them is whole paths, none twice; as it is, and with right checksums.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/made_list.h"
#include "common/memory.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void apply(struct made_list *list, const char *line)
{
	made_list_apply(list, line, strlen(line));

	char *sealed = made_list_line(line);
	sealed[strlen(sealed) - 1] = 0; /* its line break */
	made_list_apply(list, sealed, strlen(sealed));
	free(sealed);
}

static void check(const struct made_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		assert(list->files[i].path[0] == '/');
		assert(made_list_find(list, list->files[i].path) == &list->files[i]);
	}
	accepted = list->count > 0;
	for (uint32_t i = 0; i < list->wanted_count; i++)
		assert(list->wanted[i][0] == '/');
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct made_list list = {0};
	char *all = mem_new(size + 1, 1), *rest = all;

	memcpy(all, data, size);
	for (char *line; (line = strsep(&rest, "\n"));)
		apply(&list, line);
	check(&list);
	made_list_release(&list);
	free(all);
	return 0;
}
