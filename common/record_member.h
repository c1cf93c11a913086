/* record_member.h - the members of a record by their rows: what readers and writers of records
 * work with. */
#ifndef MUSTER_COMMON_RECORD_MEMBER_H
#define MUSTER_COMMON_RECORD_MEMBER_H

#include "common/record.h"

static inline void *record_member(const struct record_row *row, void *record)
{
	return (char *)record + row->offset;
}

static inline const void *record_member_const(const struct record_row *row, const void *record)
{
	return (const char *)record + row->offset;
}

static inline uint32_t *record_list_count(const struct record_row *row, void *record)
{
	return (uint32_t *)(void *)((char *)record + row->count_offset);
}

/* The value of a RECORD_U32 or RECORD_U64. */
uint64_t record_unsigned(const struct record_row *row, const void *record);

/* A list as a reader sees it: `elements` records of row->table. */
struct record_list {
	const char *elements;
	uint32_t count;
};
struct record_list record_list(const struct record_row *row, const void *record);

/* Stores an integer; false, and nothing stored, when it is beyond the row's limits or the type's.
 * A RECORD_I64 with limits set is held to them too. */
bool record_store_unsigned(const struct record_row *row, void *record, uint64_t value);
/* The same from a machine's form, where a member that need not be written and has no fallback may
 * be zero below its row's limit: it is absent. */
bool record_store_machine(const struct record_row *row, void *record, uint64_t value);
bool record_store_signed(const struct record_row *row, void *record, int64_t value);

/* A list of scalars: its table has one row. */
static inline bool record_is_plain_list(const struct record_row *row)
{
	return row->kind == RECORD_LIST && !row->keyed && row->table->count == 1;
}

/* A list that is an object in JSON, too, where only text can be a key. */
static inline bool record_is_object(const struct record_row *row)
{
	return row->keyed && row->table->rows[0].kind == RECORD_TEXT;
}

/* A map of scalars by name: {os: linux}. */
static inline bool record_is_plain_map(const struct record_row *row)
{
	return row->kind == RECORD_LIST && row->keyed && row->table->count == 2;
}

#endif
