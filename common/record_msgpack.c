#include "common/record_msgpack.h"

#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_member.h"
#include "common/utf8.h"

static int refuse(struct error *err, const struct record_row *row, const char *what)
{
	error_set(err, ERROR_PROTOCOL, "malformed message: '%s' %s", row->key, what);
	return -1;
}

static bool is_nil(const msgpack_object *value)
{
	return value->type == MSGPACK_OBJECT_NIL;
}

/* The value's bytes as text of our own; NULL when they are none. */
static char *copy_text(const msgpack_object *value)
{
	const char *bytes = value->via.str.ptr;
	size_t size = value->via.str.size;

	if (value->type != MSGPACK_OBJECT_STR)
		return NULL;
	if (size && (memchr(bytes, '\0', size) || utf8_valid(bytes, size) != size))
		return NULL;
	char *text = mem_new(size + 1, 1);
	if (size)
		memcpy(text, bytes, size);
	return text;
}

static int unpack_text(const struct record_row *row, void *record, const msgpack_object *value,
		       struct error *err)
{
	if (is_nil(value))
		return row->required ? refuse(err, row, "is absent") : 0;
	char *text = copy_text(value);
	if (!text)
		return refuse(err, row, "is not text");
	*(char **)record_member(row, record) = text;
	return 0;
}

static int unpack_name(const struct record_row *row, void *record, const msgpack_object *value,
		       struct error *err)
{
	char *name = copy_text(value);
	int found = name ? record_enum_find(row->names, name) : -1;

	free(name);
	if (found < 0)
		return refuse(err, row, "is none of its names");
	if (!record_store_machine(row, record, (uint64_t)found))
		return refuse(err, row, "is out of range");
	return 0;
}

static int unpack_integer(const struct record_row *row, void *record, const msgpack_object *value,
			  struct error *err)
{
	bool fits;

	if (row->names)
		return unpack_name(row, record, value, err);
	if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && row->kind != RECORD_I64)
		fits = record_store_machine(row, record, value->via.u64);
	else if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
		fits = value->via.u64 <= INT64_MAX &&
		       record_store_signed(row, record, (int64_t)value->via.u64);
	else if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
		fits = row->kind == RECORD_I64 && record_store_signed(row, record, value->via.i64);
	else
		return refuse(err, row, "is not an integer");
	return fits ? 0 : refuse(err, row, "is out of range");
}

static int unpack_bool(const struct record_row *row, void *record, const msgpack_object *value,
		       struct error *err)
{
	if (value->type != MSGPACK_OBJECT_BOOLEAN)
		return refuse(err, row, "is not true or false");
	*(bool *)record_member(row, record) = value->via.boolean;
	return 0;
}

/* NAN means unknown; what is infinite means nothing. */
static int unpack_real(const struct record_row *row, void *record, const msgpack_object *value,
		       struct error *err)
{
	if (value->type != MSGPACK_OBJECT_FLOAT64 || isinf(value->via.f64))
		return refuse(err, row, "is not a real number");
	*(double *)record_member(row, record) = value->via.f64;
	return 0;
}

static int unpack_record(const struct record_table *table, void *record,
			 const msgpack_object *value, struct error *err);

static int unpack_maybe(const struct record_row *row, void *record, const msgpack_object *value,
			struct error *err)
{
	if (is_nil(value))
		return row->required ? refuse(err, row, "is absent") : 0;
	void *one = mem_new(1, row->table->size);
	*(void **)record_member(row, record) = one;
	return unpack_record(row->table, one, value, err);
}

/* Room grows with what has been read, not with what was declared: a list of nils that claims to be
 * a list of large records costs nothing. */
static int unpack_list(const struct record_row *row, void *record, const msgpack_object *value,
		       struct error *err)
{
	char **elements = record_member(row, record);
	uint32_t *count = record_list_count(row, record), room = 0;
	size_t size = row->table->size;

	if (value->type != MSGPACK_OBJECT_ARRAY)
		return refuse(err, row, "is not a list");
	for (uint32_t i = 0; i < value->via.array.size; i++) {
		if (*count == room) {
			room = room ? room * 2 : 1;
			*elements = mem_resize(*elements, room, size);
		}
		void *element = memset(*elements + i * size, 0, size);
		++*count;
		if (unpack_record(row->table, element, &value->via.array.ptr[i], err) < 0)
			return -1;
	}
	return 0;
}

static int unpack_member(const struct record_row *row, void *record, const msgpack_object *value,
			 struct error *err)
{
	switch (row->kind) {
	case RECORD_BOOL:
		return unpack_bool(row, record, value, err);
	case RECORD_U32:
	case RECORD_U64:
	case RECORD_I64:
		return unpack_integer(row, record, value, err);
	case RECORD_F64:
		return unpack_real(row, record, value, err);
	case RECORD_TEXT:
		return unpack_text(row, record, value, err);
	case RECORD_ONE:
		return unpack_record(row->table, record_member(row, record), value, err);
	case RECORD_MAYBE:
		return unpack_maybe(row, record, value, err);
	case RECORD_LIST:
		return unpack_list(row, record, value, err);
	}
	return refuse(err, row, "is of no known kind");
}

static int unpack_record(const struct record_table *table, void *record,
			 const msgpack_object *value, struct error *err)
{
	if (value->type != MSGPACK_OBJECT_ARRAY || value->via.array.size != table->count) {
		error_set(err, ERROR_PROTOCOL, "malformed message: a '%s' is not %u values",
			  table->name, table->count);
		return -1;
	}
	for (uint32_t i = 0; i < table->count; i++)
		if (unpack_member(&table->rows[i], record, &value->via.array.ptr[i], err) < 0)
			return -1;
	return 0;
}

int record_unpack(const struct record_table *table, void *record, const unsigned char *data,
		  size_t size, struct error *err)
{
	msgpack_unpacked unpacked;
	size_t at = 0;
	int result = -1;

	if (record_walk(data, size, 1, err) < 0)
		return -1;
	msgpack_unpacked_init(&unpacked);
	if (msgpack_unpack_next(&unpacked, (const char *)data, size, &at) == MSGPACK_UNPACK_SUCCESS)
		result = unpack_record(table, record, &unpacked.data, err);
	else
		error_set(err, ERROR_PROTOCOL, "malformed message of %zu bytes", size);
	if (result < 0)
		record_release(table, record);
	msgpack_unpacked_destroy(&unpacked);
	return result;
}
