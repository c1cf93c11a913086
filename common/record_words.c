#include "common/record_words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/record_member.h"
#include "common/units.h"

static void add(char text[RECORD_WORDS_SIZE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add(char text[RECORD_WORDS_SIZE], const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	int length = vsnprintf(text + used, RECORD_WORDS_SIZE - used, format, args);
	va_end(args);
	assert(length >= 0 && used + (size_t)length < RECORD_WORDS_SIZE);
}

static void add_names(char text[RECORD_WORDS_SIZE], const struct record_row *row)
{
	add(text, "one of ");
	for (uint32_t i = 0; row->names[i]; i++)
		add(text, "%s%s", i ? ", " : "", row->names[i]);
}

/* The largest unit that says it without a fraction. */
static void format_ns(char text[UNITS_TEXT_SIZE], uint64_t ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"h", 3600 * NS_PER_S}, {"m", 60 * NS_PER_S}, {"s", NS_PER_S},
		{"ms", NS_PER_MS},      {"us", NS_PER_US},    {"ns", 1},
	};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	if (ns)
		snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "%s", ns / units[i].ns, units[i].name);
	else
		snprintf(text, UNITS_TEXT_SIZE, "0");
}

static void format_limit(char text[UNITS_TEXT_SIZE], enum record_unit unit, uint64_t limit)
{
	if (unit == UNIT_BYTES)
		units_format_exact(text, limit);
	else if (unit == UNIT_NS)
		format_ns(text, limit);
	else
		snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64 "%s", limit,
			 unit == UNIT_PERCENT ? "%"
			 : unit == UNIT_RATE  ? " B/s"
					      : "");
}

static void add_limits(char text[RECORD_WORDS_SIZE], const struct record_row *row,
		       enum record_unit unit)
{
	char min[UNITS_TEXT_SIZE], max[UNITS_TEXT_SIZE];

	format_limit(min, unit, row->min);
	format_limit(max, unit, row->max);
	if (row->min && row->max)
		add(text, ", %s to %s", min, max);
	else if (row->min)
		add(text, ", at least %s", min);
	else if (row->max)
		add(text, ", at most %s", max);
}

static void add_integer(char text[RECORD_WORDS_SIZE], const struct record_row *row)
{
	static const char *const units[] = {
		[UNIT_NONE] = "a whole number",    [UNIT_BYTES] = "bytes (64KiB)",
		[UNIT_NS] = "a time (1.5s)",       [UNIT_PERCENT] = "a share (10%)",
		[UNIT_RATE] = "a rate (120 MB/s)",
	};

	if (row->names) {
		add_names(text, row);
		return;
	}
	add(text, "%s", units[row->unit]);
	add_limits(text, row, row->unit);
}

char *record_words(char text[RECORD_WORDS_SIZE], const struct record_row *row)
{
	text[0] = '\0';
	if (row->kind == RECORD_BOOL)
		add(text, "true or false");
	else if (row->kind == RECORD_F64)
		add(text, "a number");
	else if (row->kind == RECORD_TEXT)
		add(text, "text");
	else if (row->kind == RECORD_ONE || row->kind == RECORD_MAYBE)
		add(text, "a map (%s)", row->table->name);
	else if (record_is_plain_list(row))
		add(text, "a list: [a, b]");
	else if (record_is_plain_map(row))
		add(text, "a map: {a: b}");
	else if (row->kind == RECORD_LIST && row->keyed)
		add(text, "a map by %s (%s)", row->table->rows[0].key, row->table->name);
	else if (row->kind == RECORD_LIST)
		add(text, "a list (%s)", row->table->name);
	else
		add_integer(text, row);
	if (row->map)
		add(text, ", or a map: {a: b}");
	return text;
}

char *record_words_raw(char text[RECORD_WORDS_SIZE], const struct record_row *row)
{
	static const char *const kinds[] = {
		[RECORD_BOOL] = "bool", [RECORD_U32] = "u32",       [RECORD_U64] = "u64",
		[RECORD_I64] = "i64",   [RECORD_F64] = "f64",       [RECORD_TEXT] = "text",
		[RECORD_ONE] = "",      [RECORD_MAYBE] = "nil or ", [RECORD_LIST] = "list of ",
	};
	static const char *const units[] = {
		[UNIT_NONE] = "",          [UNIT_BYTES] = ", bytes",
		[UNIT_NS] = ", ns",        [UNIT_PERCENT] = ", percent",
		[UNIT_RATE] = ", bytes/s",
	};

	text[0] = '\0';
	if (row->names) {
		add_names(text, row);
		return text;
	}
	add(text, "%s%s", kinds[row->kind], row->table ? row->table->name : "");
	if (row->kind == RECORD_TEXT && !row->required)
		add(text, " or nil");
	add(text, "%s", units[row->unit]);
	add_limits(text, row, UNIT_NONE);
	return text;
}
