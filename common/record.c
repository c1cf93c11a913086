#include "common/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_member.h"
#include "common/utf8.h"

static const struct record_row name_rows[] = {
	{MEMBER(struct name, name), .required = true, .doc = "a name"},
};
const struct record_table name_table = RECORD_TABLE(struct name, "name", name_rows, "A name.");

static void release_list(const struct record_row *row, void *record)
{
	char *elements = *(char **)record_member(row, record);
	uint32_t count = *record_list_count(row, record);

	for (uint32_t i = 0; i < count; i++)
		record_release(row->table, elements + (size_t)i * row->table->size);
	free(elements);
}

static void release_member(const struct record_row *row, void *record)
{
	void *member = record_member(row, record);

	if (row->kind == RECORD_TEXT) {
		free(*(char **)member);
	} else if (row->kind == RECORD_ONE) {
		record_release(row->table, member);
	} else if (row->kind == RECORD_LIST) {
		release_list(row, record);
	} else if (row->kind == RECORD_MAYBE && *(void **)member) {
		record_release(row->table, *(void **)member);
		free(*(void **)member);
	}
}

void record_release(const struct record_table *table, void *record)
{
	for (uint32_t i = 0; i < table->count; i++)
		release_member(&table->rows[i], record);
	memset(record, 0, table->size);
}

void record_make_shown(const struct record_table *table, void *record)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct record_row *row = &table->rows[i];
		void *member = record_member(row, record);
		if (row->kind == RECORD_TEXT && *(char **)member)
			utf8_make_shown(*(char **)member);
		else if (row->kind == RECORD_ONE)
			record_make_shown(row->table, member);
		else if (row->kind == RECORD_MAYBE && *(void **)member)
			record_make_shown(row->table, *(void **)member);
		for (uint32_t k = 0;
		     row->kind == RECORD_LIST && k < *record_list_count(row, record); k++)
			record_make_shown(row->table, *(char **)member + k * row->table->size);
	}
}

static void copy_list(const struct record_row *row, void *into, const void *from)
{
	struct record_list list = record_list(row, from);
	size_t size = row->table->size;
	char *elements = list.count ? mem_new(list.count, size) : NULL;

	for (uint32_t i = 0; i < list.count; i++)
		record_copy(row->table, elements + i * size, list.elements + i * size);
	*(char **)record_member(row, into) = elements;
}

static void copy_owned(const struct record_row *row, void *into, const void *from)
{
	void *member = record_member(row, into);
	const void *old = record_member_const(row, from);

	if (row->kind == RECORD_TEXT) {
		*(char **)member = mem_text(*(char *const *)old);
	} else if (row->kind == RECORD_ONE) {
		record_copy(row->table, member, old);
	} else if (row->kind == RECORD_LIST) {
		copy_list(row, into, from);
	} else if (row->kind == RECORD_MAYBE && *(void *const *)old) {
		*(void **)member = mem_new(1, row->table->size);
		record_copy(row->table, *(void **)member, *(void *const *)old);
	}
}

/* The bytes first, which is all for numbers; then each pointer gives way to one of our own. */
void record_copy(const struct record_table *table, void *into, const void *from)
{
	memcpy(into, from, table->size);
	for (uint32_t i = 0; i < table->count; i++)
		copy_owned(&table->rows[i], into, from);
}

void *record_append(void **list, uint32_t *count, size_t size)
{
	assert(*count < UINT32_MAX);
	*list = mem_resize(*list, (size_t)*count + 1, size);
	return memset((char *)*list + (size_t)(*count)++ * size, 0, size);
}

int record_enum_find(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* With its NUL, so that "ab","c" is not "a","bc". */
	for (size_t i = 0; i <= strlen(text); i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_number(uint64_t hash, uint32_t number)
{
	for (int shift = 0; shift < 32; shift += 8)
		hash = (hash ^ ((number >> shift) & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_row(uint64_t hash, const struct record_row *row)
{
	hash = hash_text(hash, row->key);
	hash = hash_number(hash, (uint32_t)row->kind);
	for (uint32_t i = 0; row->names && row->names[i]; i++)
		hash = hash_text(hash, row->names[i]);
	hash = hash_text(hash, ""); /* ends the names */
	return row->table ? record_fingerprint(hash, row->table) : hash;
}

uint64_t record_fingerprint(uint64_t hash, const struct record_table *table)
{
	hash = hash_number(hash, table->count);
	for (uint32_t i = 0; i < table->count; i++)
		hash = hash_row(hash, &table->rows[i]);
	return hash;
}
