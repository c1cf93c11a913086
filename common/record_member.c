#include "common/record_member.h"

#include <assert.h>

uint64_t record_unsigned(const struct record_row *row, const void *record)
{
	const void *member = record_member_const(row, record);

	if (row->kind == RECORD_U32)
		return *(const uint32_t *)member;
	assert(row->kind == RECORD_U64);
	return *(const uint64_t *)member;
}

struct record_list record_list(const struct record_row *row, const void *record)
{
	const void *count = (const char *)record + row->count_offset;

	assert(row->kind == RECORD_LIST);
	return (struct record_list){.elements = *(char *const *)record_member_const(row, record),
				    .count = *(const uint32_t *)count};
}

bool record_store_unsigned(const struct record_row *row, void *record, uint64_t value)
{
	void *member = record_member(row, record);

	if (value < row->min || (row->max && value > row->max))
		return false;
	if (row->kind == RECORD_U32) {
		if (value > UINT32_MAX)
			return false;
		*(uint32_t *)member = (uint32_t)value;
	} else {
		assert(row->kind == RECORD_U64);
		*(uint64_t *)member = value;
	}
	return true;
}

bool record_store_machine(const struct record_row *row, void *record, uint64_t value)
{
	/* The record is zeroed before it is filled. */
	if (value == 0 && !row->required && !row->fallback)
		return true;
	return record_store_unsigned(row, record, value);
}

bool record_store_signed(const struct record_row *row, void *record, int64_t value)
{
	bool limited = row->min || row->max;

	assert(row->kind == RECORD_I64);
	if (limited && (value < 0 || (uint64_t)value < row->min))
		return false;
	if (row->max && (uint64_t)value > row->max)
		return false;
	*(int64_t *)record_member(row, record) = value;
	return true;
}
