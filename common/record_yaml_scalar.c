#include "common/record_yaml_scalar.h"

#include <assert.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/nearest.h"
#include "common/real.h"
#include "common/record_member.h"
#include "common/record_words.h"
#include "common/units.h"
#include "common/utf8.h"

bool record_yaml_is_null(const struct yaml_node *node)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};

	return node->kind == YAML_KIND_SCALAR && !node->quoted &&
	       record_enum_find(nulls, node->text) >= 0;
}

static char *refuse(const struct record_row *row, const char *text, const char *what)
{
	char words[RECORD_WORDS_SIZE];

	return mem_format("'%.*s' %s: takes %s", yaml_errors_shown(text), text, what,
			  record_words(words, row));
}

static char *read_bool(const struct record_row *row, void *record, const char *text)
{
	bool yes = strcmp(text, "true") == 0;

	if (!yes && strcmp(text, "false") != 0)
		return refuse(row, text, "is neither");
	*(bool *)record_member(row, record) = yes;
	return NULL;
}

static char *read_name(const struct record_row *row, void *record, const char *text)
{
	int value = record_enum_find(row->names, text);
	struct nearest nearest = nearest_start(text);
	char words[RECORD_WORDS_SIZE];

	if (value >= 0 && record_store_unsigned(row, record, (uint64_t)value))
		return NULL;
	for (uint32_t i = 0; row->names[i]; i++)
		nearest_try(&nearest, row->names[i]);
	if (!nearest.name)
		return refuse(row, text, "is unknown");
	return mem_format("'%.*s' is unknown: takes %s; nearest is '%s'", yaml_errors_shown(text),
			  text, record_words(words, row), nearest.name);
}

static int parse_number(enum record_unit unit, const char *text, uint64_t *value, struct error *err)
{
	switch (unit) {
	case UNIT_BYTES:
		return units_parse_bytes(text, value, err);
	case UNIT_NS:
		return units_parse_ns(text, value, err);
	case UNIT_PERCENT:
		return units_parse_percent(text, value, err);
	case UNIT_RATE:
		return units_parse_rate(text, value, err);
	case UNIT_NONE:
		break;
	}
	return units_parse_count(text, value, err);
}

/* Beyond the row's limits, or beyond its type's where the row has none. */
static char *refuse_range(const struct record_row *row, const char *text)
{
	struct record_row shown = *row;

	if (!row->max && row->kind == RECORD_U32)
		shown.max = UINT32_MAX;
	if (!row->max && row->kind == RECORD_I64)
		shown.max = INT64_MAX;
	return refuse(&shown, text, "is out of range");
}

static char *read_unsigned(const struct record_row *row, void *record, const char *text)
{
	struct error err;
	uint64_t value;

	if (parse_number(row->unit, text, &value, &err) < 0)
		return mem_text(err.text);
	return record_store_unsigned(row, record, value) ? NULL : refuse_range(row, text);
}

static char *read_signed(const struct record_row *row, void *record, const char *text)
{
	bool negative = text[0] == '-';
	struct error err;
	uint64_t value;

	if (parse_number(row->unit, text + negative, &value, &err) < 0)
		return mem_text(err.text);
	if (value > INT64_MAX)
		return refuse_range(row, text);
	int64_t signed_value = negative ? -(int64_t)value : (int64_t)value;
	return record_store_signed(row, record, signed_value) ? NULL : refuse_range(row, text);
}

static char *read_real(const struct record_row *row, void *record, const char *text)
{
	if (!real_parse(text, record_member(row, record)))
		return refuse(row, text, "is not a finite decimal number");
	return NULL;
}

/* Names and paths stand in reports, file names and terminals: one line of printable text. */
static char *read_text(const struct record_row *row, void *record, const char *text)
{
	char **member = record_member(row, record);

	if (!text[0])
		return mem_text("is empty: takes text");
	if (!utf8_is_shown(text))
		return refuse(row, text, "holds a line end or control character");
	*member = mem_text(text);
	return NULL;
}

char *record_yaml_scalar(const struct record_row *row, void *record, const struct yaml_node *node)
{
	assert(node->kind == YAML_KIND_SCALAR);
	if (row->kind == RECORD_TEXT)
		return read_text(row, record, node->text);
	if (row->names)
		return read_name(row, record, node->text);
	if (node->quoted)
		return refuse(row, node->text, "is quoted and so text; leave the quotes out");
	if (row->kind == RECORD_BOOL)
		return read_bool(row, record, node->text);
	if (row->kind == RECORD_F64)
		return read_real(row, record, node->text);
	if (row->kind == RECORD_I64)
		return read_signed(row, record, node->text);
	return read_unsigned(row, record, node->text);
}
