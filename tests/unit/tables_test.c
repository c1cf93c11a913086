/* Every member of every structure has its row: what has none would never travel or be printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/config.h"
#include "common/memory.h"
#include "controller/journal.h"
#include "controller/manifest.h"
#include "controller/plan.h"
#include "controller/result.h"
#include "proto/messages.h"

static size_t size_of(const struct record_row *row)
{
	static const size_t sizes[] = {
		[RECORD_BOOL] = sizeof(bool),    [RECORD_U32] = sizeof(uint32_t),
		[RECORD_U64] = sizeof(uint64_t), [RECORD_I64] = sizeof(int64_t),
		[RECORD_F64] = sizeof(double),   [RECORD_TEXT] = sizeof(char *),
		[RECORD_MAYBE] = sizeof(void *), [RECORD_LIST] = sizeof(void *),
	};

	return row->kind == RECORD_ONE ? row->table->size : sizes[row->kind];
}

/* Padding is under 8 bytes and never begins where anything could stand; a small member that looks
 * like it goes unseen. */
static bool is_padding(size_t begin, size_t end)
{
	return end - begin < 8 && begin % 8 != 0;
}

static void check(const struct record_table *table)
{
	unsigned char *covered = mem_new(table->size, 1);

	for (uint32_t i = 0; i < table->count; i++) {
		const struct record_row *row = &table->rows[i];
		memset(covered + row->offset, 1, size_of(row));
		if (row->kind == RECORD_LIST)
			memset(covered + row->count_offset, 1, sizeof(uint32_t));
		if (row->table)
			check(row->table);
	}
	for (size_t at = 0; at < table->size;) {
		size_t end = at;
		while (end < table->size && !covered[end])
			end++;
		if (end > at && !is_padding(at, end)) {
			print_error("%s: bytes %zu to %zu have no row\n", table->name, at, end);
			fail();
		}
		at = end + 1;
	}
	free(covered);
}

static void every_member_has_its_row(void **state)
{
	(void)state;
	for (int kind = 0; kind < MESSAGE_KINDS; kind++)
		check(message_types[kind].table);
	check(&plan_table);
	check(&result_table);
	check(&result_bucket_table);
	check(&manifest_table);
	check(&agent_config_table);
	for (int kind = 0; kind < JOURNAL_KINDS; kind++)
		if (journal_table(kind))
			check(journal_table(kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_has_its_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
