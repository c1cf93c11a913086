/* A file of results: its whole records are read, and of each either a message comes or a reason;
 * what was read packs to the same bytes again, and nothing behind damage is taken. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/framed.h"
#include "proto/codec.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Whether it is a message. */
static bool read_message(const unsigned char *record, size_t size)
{
	struct message message;
	struct error err = {0};

	if (codec_unpack(record, size, &message, &err) < 0) {
		assert(err.kind == ERROR_PROTOCOL && err.text[0] && !message.body);
		return false;
	}
	struct bytes again = {0};
	codec_pack(&message.envelope, message.body, &again);
	free(again.data);
	message_release(&message);
	return true;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct framed framed = {.data = data, .size = size};
	struct bytes again = {0};
	const unsigned char *record;
	size_t length;
	bool all = true;

	while (framed_next(&framed, &record, &length)) {
		assert(record >= data && length <= size && record + length <= data + framed.at);
		framed_append(&again, record, length);
		all = read_message(record, length) && all;
	}
	accepted = all && again.size && again.size == size;
	assert(again.size == framed.at && framed.at + framed_torn(&framed) == size);
	assert(!again.size || memcmp(again.data, data, again.size) == 0);
	free(again.data);
	return 0;
}
