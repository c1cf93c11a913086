#include "controller/absent.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/nodeset.h"

/* Those from `first` on that have its reason; they are marked as told. */
static char *describe(const struct absent *absent, uint32_t count, uint32_t first, bool *told)
{
	struct nodeset set = {.names = mem_new(count - first, sizeof(*set.names))};
	char *line;

	for (uint32_t i = first; i < count; i++) {
		if (told[i] || strcmp(absent[i].why, absent[first].why) != 0)
			continue;
		told[i] = true;
		set.names[set.count++] = (char *)absent[i].name;
	}
	if (set.count == 1) {
		line = mem_format("host '%s' (%s): %s", absent[first].name, absent[first].endpoint,
				  absent[first].why);
	} else {
		char *folded = nodeset_format(&set);
		line = mem_format("hosts %s: %s", folded, absent[first].why);
		free(folded);
	}
	free(set.names);
	return line;
}

char **absent_lines(const struct absent *absent, uint32_t count, uint32_t *lines)
{
	bool *told = mem_new(count ? count : 1, sizeof(*told));
	char **texts = mem_new(count ? count : 1, sizeof(*texts));

	*lines = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!told[i])
			texts[(*lines)++] = describe(absent, count, i, told);
	free(told);
	return texts;
}
