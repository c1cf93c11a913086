/* A nodeset as a person writes it: refused with a reason, or names that fold to a text that parses
 * back to the same names. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nodeset.h"
#include "common/nodeset_item.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void fold_and_parse(const struct nodeset *set)
{
	struct error err = {0};
	struct nodeset back;
	char *text = nodeset_format(set);
	int result = nodeset_parse(&back, text, &err);

	assert(result == 0 && back.count == set->count);
	for (uint32_t i = 0; i < set->count; i++)
		assert(strcmp(back.names[i], set->names[i]) == 0);
	nodeset_release(&back);
	free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct error err = {0};
	struct nodeset set;
	char *text = mem_new(size + 1, 1);

	if (size)
		memcpy(text, data, size);
	if (nodeset_parse(&set, text, &err) == 0) {
		assert(set.count > 0 && set.count <= nodeset_hosts_most);
		accepted = true;
		fold_and_parse(&set);
		nodeset_release(&set);
	} else {
		assert(err.kind == ERROR_USAGE && err.text[0] && !set.names);
	}
	free(text);
	return 0;
}
