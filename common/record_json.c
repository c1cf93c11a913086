#include "common/record_json.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/record_member.h"
#include "common/record_yaml.h"

/* Where the reader is, and where the first error goes. */
struct reader {
	struct error *err;
	struct record_json_gaps *gaps; /* NULL: there may be none */
	char path[256];
};

static size_t enter(struct reader *r, const char *key)
{
	size_t used = strlen(r->path);

	snprintf(r->path + used, sizeof(r->path) - used, "%s%.60s", used ? "." : "", key);
	return used;
}

static size_t enter_index(struct reader *r, size_t index)
{
	size_t used = strlen(r->path);

	snprintf(r->path + used, sizeof(r->path) - used, "[%zu]", index);
	return used;
}

static int refuse(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct reader *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	error_set(r->err, ERROR_USAGE, "%s%s%s", r->path, r->path[0] ? ": " : "", text);
	return -1;
}

static int read_text(struct reader *r, const struct record_row *row, void *record,
		     const json_t *value)
{
	if (json_is_null(value))
		return row->required ? refuse(r, "is null: takes text") : 0;
	if (!json_is_string(value))
		return refuse(r, "is not text");
	*(char **)record_member(row, record) = mem_text(json_string_value(value));
	return 0;
}

static int read_name(struct reader *r, const struct record_row *row, void *record,
		     const json_t *value)
{
	const char *name = json_string_value(value);
	int found = name ? record_enum_find(row->names, name) : -1;

	if (found < 0 || !record_store_machine(row, record, (uint64_t)found))
		return refuse(r, "'%.60s' is none of its names", name ? name : "not text");
	return 0;
}

static int read_integer(struct reader *r, const struct record_row *row, void *record,
			const json_t *value)
{
	bool fits;

	if (row->names)
		return read_name(r, row, record, value);
	if (!json_is_integer(value))
		return refuse(r, "is not a whole number");
	json_int_t number = json_integer_value(value);
	if (row->kind == RECORD_I64)
		fits = record_store_signed(row, record, number);
	else
		fits = number >= 0 && record_store_machine(row, record, (uint64_t)number);
	return fits ? 0 : refuse(r, "%" JSON_INTEGER_FORMAT " is out of range", number);
}

static int read_real(struct reader *r, const struct record_row *row, void *record,
		     const json_t *value)
{
	if (!json_is_number(value) && !json_is_null(value))
		return refuse(r, "is not a number");
	*(double *)record_member(row, record) =
		json_is_null(value) ? (double)NAN : json_number_value(value);
	return 0;
}

static int read_bool(struct reader *r, const struct record_row *row, void *record,
		     const json_t *value)
{
	if (!json_is_boolean(value))
		return refuse(r, "is not true or false");
	*(bool *)record_member(row, record) = json_is_true(value);
	return 0;
}

static int read_record(struct reader *r, const struct record_table *table, void *record,
		       const json_t *object, uint32_t first);
static int read_member(struct reader *r, const struct record_row *row, void *record,
		       const json_t *value);

static int read_element(struct reader *r, const struct record_row *row, void *element,
			const json_t *value)
{
	const struct record_table *table = row->table;

	if (record_is_plain_list(row))
		return read_member(r, &table->rows[0], element, value);
	if (record_is_object(row) && record_is_plain_map(row))
		return read_member(r, &table->rows[1], element, value);
	return read_record(r, table, element, value, record_is_object(row) ? 1 : 0);
}

/* Zeroed elements for all that follow; counted at once, so that a release finds them. */
static char *make_elements(const struct record_row *row, void *record, size_t count)
{
	char *elements = count ? mem_new(count, row->table->size) : NULL;

	*(char **)record_member(row, record) = elements;
	*record_list_count(row, record) = (uint32_t)count;
	return elements;
}

static int read_array(struct reader *r, const struct record_row *row, void *record,
		      const json_t *array)
{
	if (!json_is_array(array))
		return refuse(r, "is not a list");
	char *element = make_elements(row, record, json_array_size(array));
	for (size_t i = 0; i < json_array_size(array); i++, element += row->table->size) {
		size_t used = enter_index(r, i);
		if (read_element(r, row, element, json_array_get(array, i)) < 0)
			return -1;
		r->path[used] = '\0';
	}
	return 0;
}

static int read_map(struct reader *r, const struct record_row *row, void *record, json_t *object)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return refuse(r, "is not an object");
	char *element = make_elements(row, record, json_object_size(object));
	json_object_foreach(object, key, value)
	{
		size_t used = enter(r, key);
		*(char **)record_member(&row->table->rows[0], element) = mem_text(key);
		if (read_element(r, row, element, value) < 0)
			return -1;
		r->path[used] = '\0';
		element += row->table->size;
	}
	return 0;
}

static int read_maybe(struct reader *r, const struct record_row *row, void *record,
		      const json_t *value)
{
	if (json_is_null(value))
		return 0;
	void *one = mem_new(1, row->table->size);
	*(void **)record_member(row, record) = one;
	return read_record(r, row->table, one, value, 0);
}

static int read_member(struct reader *r, const struct record_row *row, void *record,
		       const json_t *value)
{
	switch (row->kind) {
	case RECORD_BOOL:
		return read_bool(r, row, record, value);
	case RECORD_U32:
	case RECORD_U64:
	case RECORD_I64:
		return read_integer(r, row, record, value);
	case RECORD_F64:
		return read_real(r, row, record, value);
	case RECORD_TEXT:
		return read_text(r, row, record, value);
	case RECORD_ONE:
		return read_record(r, row->table, record_member(row, record), value, 0);
	case RECORD_MAYBE:
		return read_maybe(r, row, record, value);
	case RECORD_LIST:
		if (record_is_object(row))
			return read_map(r, row, record, (json_t *)value);
		return read_array(r, row, record, value);
	}
	return refuse(r, "is of no known kind");
}

/* ---- what another build has ---- */

static void add_gap(char **list, const struct record_table *table, const char *key)
{
	char *name = mem_format("%s.%.60s", table->name, key);
	size_t length = strlen(name);
	bool known = false;

	for (const char *at = *list; at && (at = strstr(at, name)); at += length)
		known |= (at == *list || at[-1] == ' ') && (at[length] == ',' || !at[length]);
	if (!known) {
		char *longer = mem_format("%s%s%s", *list ? *list : "", *list ? ", " : "", name);
		free(*list);
		*list = longer;
	}
	free(name);
}

static bool says_something(const json_t *value)
{
	if (json_is_string(value))
		return json_string_length(value) > 0;
	if (json_is_array(value))
		return json_array_size(value) > 0;
	if (json_is_object(value))
		return json_object_size(value) > 0;
	return json_is_true(value) || (json_is_number(value) && json_number_value(value) != 0);
}

static void fill(const struct record_row *row, void *record)
{
	if (row->kind == RECORD_ONE)
		for (uint32_t i = 0; i < row->table->count; i++)
			fill(&row->table->rows[i], record_member(row, record));
	else if (row->fallback)
		record_yaml_fallback(row, record);
	else if (row->kind == RECORD_F64)
		*(double *)record_member(row, record) = (double)NAN;
}

void record_json_gaps_release(struct record_json_gaps *gaps)
{
	free(gaps->unknown);
	free(gaps->absent);
	*gaps = (struct record_json_gaps){0};
}

/* ---- records ---- */

static int check_keys(struct reader *r, const struct record_table *table, json_t *object,
		      uint32_t first)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		uint32_t i = first;
		while (i < table->count && strcmp(table->rows[i].key, key) != 0)
			i++;
		if (i < table->count)
			continue;
		if (!r->gaps)
			return refuse(r, "'%.60s' is unknown", key);
		if (says_something(value))
			add_gap(&r->gaps->unknown, table, key);
	}
	return 0;
}

/* Members from `first` on: in a map by name the first is the key outside. */
static int read_record(struct reader *r, const struct record_table *table, void *record,
		       const json_t *object, uint32_t first)
{
	if (!json_is_object(object))
		return refuse(r, "is not an object");
	if (check_keys(r, table, (json_t *)object, first) < 0)
		return -1;
	for (uint32_t i = first; i < table->count; i++) {
		const struct record_row *row = &table->rows[i];
		const json_t *value = json_object_get(object, row->key);
		if (!value && (!r->gaps || row->required))
			return refuse(r, "'%s' is missing", row->key);
		if (!value) {
			fill(row, record);
			add_gap(&r->gaps->absent, table, row->key);
			continue;
		}
		size_t used = enter(r, row->key);
		if (read_member(r, row, record, value) < 0)
			return -1;
		r->path[used] = '\0';
	}
	return 0;
}

static int parse(struct reader *r, const struct record_table *table, void *record, const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root) {
		error_set(r->err, ERROR_USAGE, "not JSON: line %d, column %d: %s", error.line,
			  error.column, error.text);
		return -1;
	}
	int result = read_record(r, table, record, root, 0);
	json_decref(root);
	if (result < 0)
		record_release(table, record);
	return result;
}

int record_json_parse(const struct record_table *table, void *record, const char *text,
		      struct error *err)
{
	struct reader r = {.err = err};

	return parse(&r, table, record, text);
}

int record_json_parse_other(const struct record_table *table, void *record, const char *text,
			    struct record_json_gaps *gaps, struct error *err)
{
	struct reader r = {.err = err, .gaps = gaps};

	return parse(&r, table, record, text);
}
