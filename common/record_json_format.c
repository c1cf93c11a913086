#include "common/record_json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/bytes.h"
#include "common/real.h"
#include "common/record_member.h"
#include "common/utf8.h"

/* Text that is being written. Written by hand and not with a library's tree, since a result is
 * large, what hosts say need not be UTF-8, and reals are to be short and exact. */
struct writer {
	struct bytes text;
	int depth;
};

static void put(struct writer *w, const char *text)
{
	bytes_append(&w->text, text, strlen(text));
}

static void put_line(struct writer *w)
{
	put(w, "\n");
	for (int i = 0; i < w->depth; i++)
		put(w, " ");
}

/* The brackets of an object or list and what stands between its members. */
static void open(struct writer *w, const char *bracket)
{
	put(w, bracket);
	w->depth++;
}

static void next(struct writer *w, bool first)
{
	if (!first)
		put(w, ",");
	put_line(w);
}

static void close(struct writer *w, const char *bracket, bool empty)
{
	w->depth--;
	if (!empty)
		put_line(w);
	put(w, bracket);
}

static void put_character(struct writer *w, unsigned char c)
{
	char escape[8];

	if (c == '"' || c == '\\')
		snprintf(escape, sizeof(escape), "\\%c", c);
	else
		snprintf(escape, sizeof(escape), "\\u%04x", c);
	put(w, escape);
}

static bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

/* Bytes that are no UTF-8 become U+FFFD, the character that stands for them. */
static void put_text(struct writer *w, const char *text)
{
	size_t size = strlen(text);

	put(w, "\"");
	for (size_t at = 0; at < size;) {
		size_t end = at + utf8_valid(text + at, size - at), plain = at;
		if (end == at) {
			put(w, "\xef\xbf\xbd");
			at++;
			continue;
		}
		for (; at < end; at++) {
			if (!is_escaped((unsigned char)text[at]))
				continue;
			bytes_append(&w->text, text + plain, at - plain);
			put_character(w, (unsigned char)text[at]);
			plain = at + 1;
		}
		bytes_append(&w->text, text + plain, at - plain);
	}
	put(w, "\"");
}

static void put_integer(struct writer *w, const struct record_row *row, const void *record)
{
	uint64_t value = record_unsigned(row, record);
	char text[32];

	if (row->names) {
		for (uint64_t i = 0; i <= value; i++)
			assert(row->names[i]);
		put_text(w, row->names[value]);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value > INT64_MAX ? INT64_MAX : value);
	put(w, text);
}

static void put_scalar(struct writer *w, const struct record_row *row, const void *record)
{
	const void *member = record_member_const(row, record);
	char text[REAL_TEXT_SIZE];

	if (row->kind == RECORD_BOOL) {
		put(w, *(const bool *)member ? "true" : "false");
	} else if (row->kind == RECORD_F64) {
		double value = *(const double *)member;
		put(w, isfinite(value) ? real_format(text, value) : "null");
	} else if (row->kind == RECORD_I64) {
		snprintf(text, sizeof(text), "%" PRId64, *(const int64_t *)member);
		put(w, text);
	} else if (row->kind == RECORD_TEXT) {
		const char *value = *(char *const *)member;
		if (value)
			put_text(w, value);
		else
			put(w, "null");
	} else {
		put_integer(w, row, record);
	}
}

static void put_record(struct writer *w, const struct record_table *table, const void *record,
		       uint32_t first);
static void put_member(struct writer *w, const struct record_row *row, const void *record);

static void put_element(struct writer *w, const struct record_row *row, const void *element)
{
	const struct record_table *table = row->table;

	if (record_is_plain_list(row))
		put_member(w, &table->rows[0], element);
	else if (record_is_object(row) && record_is_plain_map(row))
		put_member(w, &table->rows[1], element);
	else
		put_record(w, table, element, record_is_object(row) ? 1 : 0);
}

static void put_key(struct writer *w, const struct record_row *row, const void *element)
{
	const char *key = *(char *const *)record_member_const(&row->table->rows[0], element);

	put_text(w, key ? key : "");
	put(w, ": ");
}

static void put_list(struct writer *w, const struct record_row *row, const void *record)
{
	struct record_list list = record_list(row, record);

	open(w, record_is_object(row) ? "{" : "[");
	for (uint32_t i = 0; i < list.count; i++) {
		const void *element = list.elements + (size_t)i * row->table->size;
		next(w, i == 0);
		if (record_is_object(row))
			put_key(w, row, element);
		put_element(w, row, element);
	}
	close(w, record_is_object(row) ? "}" : "]", list.count == 0);
}

static void put_member(struct writer *w, const struct record_row *row, const void *record)
{
	const void *member = record_member_const(row, record);

	if (row->kind == RECORD_LIST)
		put_list(w, row, record);
	else if (row->kind == RECORD_ONE)
		put_record(w, row->table, member, 0);
	else if (row->kind == RECORD_MAYBE && *(void *const *)member)
		put_record(w, row->table, *(void *const *)member, 0);
	else if (row->kind == RECORD_MAYBE)
		put(w, "null");
	else
		put_scalar(w, row, record);
}

/* Members from `first` on: in a map by name the first is the key outside. */
static void put_record(struct writer *w, const struct record_table *table, const void *record,
		       uint32_t first)
{
	open(w, "{");
	for (uint32_t i = first; i < table->count; i++) {
		next(w, i == first);
		put_text(w, table->rows[i].key);
		put(w, ": ");
		put_member(w, &table->rows[i], record);
	}
	close(w, "}", first >= table->count);
}

char *record_json_format(const struct record_table *table, const void *record)
{
	struct writer w = {0};

	put_record(&w, table, record, 0);
	put_line(&w);
	bytes_append(&w.text, "", 1);
	return (char *)w.text.data;
}
