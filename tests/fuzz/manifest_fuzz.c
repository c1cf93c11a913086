/* A MANIFEST.json: refused with a reason, or it names plain files once each and reads back from
 * what it is written as. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "controller/manifest.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_again(const struct manifest *manifest)
{
	char *text = record_json_format(&manifest_table, manifest);
	struct manifest again;
	struct error err = {0};

	assert(manifest_parse(&again, text, strlen(text), &err) == 0);
	assert(again.files_count == manifest->files_count);
	record_release(&manifest_table, &again);
	free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = mem_new(size + 1, 1);
	struct manifest manifest;
	struct error err = {0};

	if (size)
		memcpy(text, data, size);
	if (manifest_parse(&manifest, text, size, &err) < 0) {
		assert(err.kind == ERROR_USAGE && err.text[0] && !manifest.files);
	} else {
		for (uint32_t i = 0; i < manifest.files_count; i++)
			assert(!strchr(manifest.files[i].name, '/'));
		if (manifest_is_signed(&manifest))
			manifest_is_good(&manifest);
		read_again(&manifest);
		accepted = true;
		record_release(&manifest_table, &manifest);
	}
	free(text);
	return 0;
}
