/* A run's journal: refused with a reason, or it packs into one that is read again and says the
 * same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/framed.h"
#include "controller/journal_read.h"
#include "tests/fuzz/accepted.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static struct bytes pack(const struct journal_content *content)
{
	struct bytes bytes = {0};

	journal_content_pack(content, &bytes);
	return bytes;
}

static void read_again(const struct journal_content *content)
{
	struct bytes once = pack(content), twice;
	struct journal_content again;
	struct error err;

	/* What was taken up again has no trials to drop any more, but those of its last head. */
	if (journal_parse(&again, once.data, once.size, &err) == 0) {
		twice = pack(&again);
		assert(again.phases_count == content->phases_count);
		assert(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
		free(twice.data);
		journal_content_release(&again);
	}
	free(once.data);
}

/* The bytes are cut into records first, each sealed, so that what is in them is looked at: of two
 * bytes of length, then so many. */
static struct bytes seal(const unsigned char *data, size_t size)
{
	struct bytes sealed = {0};

	for (size_t at = 0; at + 2 <= size;) {
		size_t length = data[at] | (size_t)data[at + 1] << 8;
		at += 2;
		if (length > size - at)
			length = size - at;
		framed_append(&sealed, data + at, length);
		at += length;
	}
	return sealed;
}

static void parse(const unsigned char *data, size_t size)
{
	struct journal_content content;
	struct error err = {0};

	if (journal_parse(&content, data, size, &err) < 0) {
		assert(err.kind == ERROR_USAGE && err.text[0] && !content.heads_count);
		return;
	}
	assert(content.whole_bytes <= size && content.heads_count);
	accepted = true;
	journal_whole_trials(&content, 2);
	read_again(&content);
	journal_content_release(&content);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct bytes sealed = seal(data, size);

	parse(data, size);
	parse(sealed.data, sealed.size);
	free(sealed.data);
	return 0;
}
