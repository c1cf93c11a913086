#include "common/record_msgpack.h"

#include <assert.h>

#include "common/pack.h"
#include "common/record_member.h"

static void pack_integer(const struct record_row *row, const void *record, struct bytes *into)
{
	uint64_t value = record_unsigned(row, record);

	if (!row->names) {
		pack_unsigned(into, value);
		return;
	}
	for (uint64_t i = 0; i <= value; i++)
		assert(row->names[i]);
	pack_text(into, row->names[value]);
}

static void pack_list(const struct record_row *row, const void *record, struct bytes *into)
{
	struct record_list list = record_list(row, record);

	pack_array(into, list.count);
	for (uint32_t i = 0; i < list.count; i++)
		record_pack(row->table, list.elements + (size_t)i * row->table->size, into);
}

static void pack_member(const struct record_row *row, const void *record, struct bytes *into)
{
	const void *member = record_member_const(row, record);

	switch (row->kind) {
	case RECORD_BOOL:
		pack_bool(into, *(const bool *)member);
		return;
	case RECORD_U32:
	case RECORD_U64:
		pack_integer(row, record, into);
		return;
	case RECORD_I64:
		pack_signed(into, *(const int64_t *)member);
		return;
	case RECORD_F64:
		pack_real(into, *(const double *)member);
		return;
	case RECORD_TEXT:
		pack_text(into, *(char *const *)member);
		return;
	case RECORD_ONE:
		record_pack(row->table, member, into);
		return;
	case RECORD_MAYBE:
		if (*(void *const *)member)
			record_pack(row->table, *(void *const *)member, into);
		else
			pack_nil(into);
		return;
	case RECORD_LIST:
		pack_list(row, record, into);
		return;
	}
}

void record_pack(const struct record_table *table, const void *record, struct bytes *into)
{
	pack_array(into, table->count);
	for (uint32_t i = 0; i < table->count; i++)
		pack_member(&table->rows[i], record, into);
}
