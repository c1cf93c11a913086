/* A key file's text: refused with a line and nothing of it left, or a key that is written and read
 * back as itself. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/key.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const struct key_file nothing;
	struct key_file file, back;
	struct error err = {0};

	if (key_parse(&file, (const char *)data, size, &err) < 0) {
		assert(err.kind == ERROR_USAGE && err.text[0]);
		assert(memcmp(&file, &nothing, sizeof(file)) == 0);
		return 0;
	}
	accepted = true;
	char *text = key_format(&file, file.has_secret ? KEY_PART_SECRET : KEY_PART_PUBLIC);
	int result = key_parse(&back, text, strlen(text), &err);
	assert(result == 0 && memcmp(&file, &back, sizeof(file)) == 0);
	free(text);
	return 0;
}
