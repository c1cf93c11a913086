/* A frame from a peer: refused with a reason, or read; and what was read packs to a frame that is
 * read as the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct error err = {0};
	struct message first, second;
	struct bytes once = {0}, twice = {0};

	if (codec_unpack(data, size, &first, &err) < 0) {
		assert(err.kind == ERROR_PROTOCOL && err.text[0]);
		return 0;
	}
	accepted = true;
	codec_pack(&first.envelope, first.body, &once);
	int result = codec_unpack(once.data, once.size, &second, &err);
	assert(result == 0);
	codec_pack(&second.envelope, second.body, &twice);
	assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
	free(once.data);
	free(twice.data);
	message_release(&first);
	message_release(&second);
	return 0;
}
