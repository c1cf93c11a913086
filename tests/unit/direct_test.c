/* When I/O may pass by the page cache, and what is said when it may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "agent/direct.h"

static struct target target = {.name = "t"};

static const struct row {
	enum phase_direct wanted;
	enum platform_direct possible;
	uint32_t alignment;
	uint64_t block_size, unit;
	int result;
	enum target_io io;
	const char *text; /* of the refusal or the note; NULL: none */
	const char *code; /* of the refusal */
} rows[] = {
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_YES, 4096, 65536, 0, 0, TARGET_IO_DIRECT, NULL},
	{PHASE_DIRECT_PREFER, PLATFORM_DIRECT_YES, 4096, 65536, 0, 0, TARGET_IO_DIRECT, NULL},
	{PHASE_DIRECT_FALSE, PLATFORM_DIRECT_YES, 4096, 512, 0, 0, TARGET_IO_BUFFERED, NULL},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_YES, 0, 512, 512, 0, TARGET_IO_DIRECT, NULL},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_WRITTEN_THROUGH, 4096, 65536, 65536, 0,
	 TARGET_IO_WRITTEN_THROUGH, NULL},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_NO, 4096, 65536, 0, -1, TARGET_IO_BUFFERED,
	 "is memory itself; 'direct: prefer'", "DIRECT_REFUSED"},
	{PHASE_DIRECT_PREFER, PLATFORM_DIRECT_NO, 4096, 65536, 0, 0, TARGET_IO_BUFFERED,
	 "target 't' is buffered, not direct"},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_YES, 4096, 6144, 0, -1, TARGET_IO_BUFFERED,
	 "multiples of 4096 bytes, and block_size is 6144 bytes: the nearest legal block_size is "
	 "4KiB or 8KiB",
	 "BLOCK_NOT_MULTIPLE_OF_LBA"},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_YES, 4096, 512, 0, -1, TARGET_IO_BUFFERED,
	 "the nearest legal block_size is 4KiB;", "BLOCK_NOT_MULTIPLE_OF_LBA"},
	{PHASE_DIRECT_PREFER, PLATFORM_DIRECT_YES, 4096, 512, 0, 0, TARGET_IO_BUFFERED,
	 "block_size is 512 bytes"},
	{PHASE_DIRECT_TRUE, PLATFORM_DIRECT_YES, 4096, 65536, 1024, -1, TARGET_IO_BUFFERED,
	 "the nearest legal stripe_unit is 4KiB", "BLOCK_NOT_MULTIPLE_OF_LBA"},
};

static void direct_is_decided_by_what_the_storage_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct part part = {.target = &target, .path = "/x", .unit_bytes = row->unit};
		struct phase phase = {.direct = row->wanted, .block_size = row->block_size};
		struct ready ready = {0};
		struct part_context context = {.phase = &phase, .ready = &ready};
		struct error err = {0};
		part.storage.direct = row->possible;
		part.storage.alignment_bytes = row->alignment;
		strcpy(part.storage.direct_reason, "is memory itself");
		int result = direct_decide(&part, &context, &err);
		const char *text = ready.notes_count ? ready.notes[0].name : err.text;
		if (result != row->result || part.io != row->io ||
		    !strstr(text, row->text ? row->text : ""))
			fail_msg("row %zu: %d, io %d: %s", i, result, (int)part.io, text);
		if (row->code)
			assert_string_equal(err.code, row->code);
		assert_int_equal(ready.notes_count, row->text && !row->result);
		record_release(&ready_table, &ready);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(direct_is_decided_by_what_the_storage_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
