/* What an agent kept of earlier runs: not known, or it formats to a text that parses to the same;
 * as it is, and with right checksums before its lines. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/known_data.h"
#include "agent/made_list.h"
#include "common/memory.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check(const char *text, size_t size)
{
	struct known_data known, back;

	if (known_data_parse(&known, text, size) < 0) {
		assert(!known.run && !known.key && !known.ranges && !known.count);
		return;
	}
	accepted = true;
	for (uint32_t i = 0; i < known.count; i++)
		assert(known.ranges[i].from < known.ranges[i].to);
	char *again = known_data_format(&known);
	assert(again && known_data_parse(&back, again, strlen(again)) == 0);
	assert(back.count == known.count && strcmp(back.key, known.key) == 0);
	known_data_release(&back);
	known_data_release(&known);
	free(again);
}

static char *with_checksums(const char *text)
{
	char *all = mem_text("");

	while (*text) {
		int length = (int)strcspn(text, "\n");
		char *event = mem_format("%.*s", length, text), *line = made_list_line(event);
		char *longer = mem_format("%s%s", all, line);
		free(event);
		free(line);
		free(all);
		all = longer;
		text += length + (text[length] == '\n');
	}
	return all;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = mem_new(size + 1, 1);

	memcpy(text, data, size);
	check(text, size);
	if (size < 4096) {
		char *summed = with_checksums(text);
		check(summed, strlen(summed));
		free(summed);
	}
	free(text);
	return 0;
}
