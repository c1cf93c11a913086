#include "common/nodeset_item.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/record.h"

int nodeset_refuse(const struct nodeset_text *text, const char *where, const char *format, ...)
{
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	error_set(text->err, ERROR_USAGE, "nodeset '%.200s%s', character %zu: %s", text->start,
		  strlen(text->start) > 200 ? "..." : "", (size_t)(where - text->start) + 1, why);
	return -1;
}

int nodeset_refuse_char(const struct nodeset_text *text)
{
	unsigned char c = (unsigned char)*text->at;

	if (c == '\0' || c == ',')
		return nodeset_refuse(text, text->at, "a host name is missing");
	if (c == ':')
		return nodeset_refuse(text, text->at,
				      "a port is not part of a host name; give it as 'port'");
	if (c == ']')
		return nodeset_refuse(text, text->at, "']' without '[' before it");
	if (c < ' ' || c > '~')
		return nodeset_refuse(text, text->at,
				      "byte 0x%02x cannot be in a host name; write names beyond "
				      "ASCII in their 'xn--' form",
				      c);
	return nodeset_refuse(text, text->at,
			      "'%c' cannot be there in a host name; letters, digits, '-', '_' and "
			      "'.' can, and '-' and '.' not first",
			      c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
	       c == '_' || c == '.';
}

/* Digits, `width` of them; what else stands there up to the next sign is shown. */
static int parse_number(struct nodeset_text *text, uint64_t *value, int *width)
{
	const char *start = text->at;
	size_t size = strcspn(start, ",-/]");

	*value = 0;
	while (is_digit(*text->at) && (size_t)(text->at - start) < NODESET_DIGITS_MAX)
		*value = *value * 10 + (uint64_t)(*text->at++ - '0');
	*width = (int)(text->at - start);
	if (!start[size])
		return nodeset_refuse(text, start + size, "']' is missing");
	if ((size_t)(text->at - start) == size && size)
		return 0;
	return nodeset_refuse(text, start, "cannot convert '%.*s' to a number of 1 to %u digits",
			      size < 80 ? (int)size : 80, start, NODESET_DIGITS_MAX);
}

static int parse_last(struct nodeset_text *text, const char *start, struct nodeset_range *range,
		      uint64_t *last)
{
	const char *at = ++text->at;
	int width;

	if (parse_number(text, last, &width) < 0)
		return -1;
	if (*last < range->first)
		return nodeset_refuse(
			text, start,
			"range '%.*s' runs backwards; write '%0*" PRIu64 "-%0*" PRIu64 "'",
			(int)(text->at - start), start, width, *last, range->width, range->first);
	if (*at == '0' && width > 1 && width != range->width)
		return nodeset_refuse(
			text, start,
			"range '%.*s' has two widths; write '%0*" PRIu64 "-%0*" PRIu64 "'",
			(int)(text->at - start), start, width, range->first, width, *last);
	return 0;
}

static int parse_step(struct nodeset_text *text, struct nodeset_range *range)
{
	const char *start = ++text->at;
	int width;

	if (parse_number(text, &range->step, &width) < 0)
		return -1;
	if (range->step == 0)
		return nodeset_refuse(text, start, "a step is at least 1");
	return 0;
}

/* "7", "1-16" or "01-16/4". */
static int parse_range(struct nodeset_text *text, struct nodeset_range *range)
{
	const char *start = text->at;
	uint64_t last;

	range->step = 1;
	if (parse_number(text, &range->first, &range->width) < 0)
		return -1;
	last = range->first;
	if (*text->at == '-') {
		if (parse_last(text, start, range, &last) < 0)
			return -1;
		if (*text->at == '/' && parse_step(text, range) < 0)
			return -1;
	}
	if (*text->at != ',' && *text->at != ']')
		return nodeset_refuse(text, text->at, "'%c' cannot follow '%.*s' in brackets",
				      *text->at, (int)(text->at - start), start);
	range->count = (last - range->first) / range->step + 1;
	return 0;
}

static int parse_bracket(struct nodeset_text *text, struct nodeset_piece *piece)
{
	const char *start = text->at;

	do {
		struct nodeset_range *range = RECORD_APPEND(piece->ranges, piece->ranges_count);
		text->at++;
		if (parse_range(text, range) < 0)
			return -1;
		if (range->count > nodeset_hosts_most - piece->values)
			return nodeset_refuse(text, start, "more than %u hosts",
					      nodeset_hosts_most);
		piece->values += range->count;
	} while (*text->at == ',');
	text->at++;
	return 0;
}

static int parse_piece(struct nodeset_text *text, struct nodeset_piece *piece)
{
	if (*text->at == '[')
		return parse_bracket(text, piece);
	piece->literal = text->at;
	piece->values = 1;
	for (; is_name(*text->at); text->at++)
		if (text->at[0] == '.' && text->at[1] == '.')
			return nodeset_refuse(text, text->at, "a host name has no empty part");
	piece->size = (size_t)(text->at - piece->literal);
	return 0;
}

int nodeset_item_parse(struct nodeset_item *item, struct nodeset_text *text)
{
	const char *start = text->at;

	item->names = 1;
	while (*text->at == '[' || is_name(*text->at)) {
		if (text->at == start && (*start == '-' || *start == '.'))
			break;
		struct nodeset_piece *piece = RECORD_APPEND(item->pieces, item->count);
		if (parse_piece(text, piece) < 0)
			return -1;
		item->names *= piece->values;
		if (item->names > nodeset_hosts_most)
			return nodeset_refuse(text, start, "more than %u hosts",
					      nodeset_hosts_most);
	}
	return text->at > start ? 0 : nodeset_refuse_char(text);
}

/* Steps to the next number; false: it was the last, and the first is next. */
static bool advance(struct nodeset_piece *piece)
{
	if (piece->literal)
		return false;
	if (++piece->value_at < piece->ranges[piece->range_at].count)
		return true;
	piece->value_at = 0;
	if (++piece->range_at < piece->ranges_count)
		return true;
	piece->range_at = 0;
	return false;
}

static int print_piece(const struct nodeset_piece *piece, char *name, size_t room)
{
	if (piece->literal) {
		if (piece->size > room)
			return -1;
		memcpy(name, piece->literal, piece->size);
		return (int)piece->size;
	}
	const struct nodeset_range *range = &piece->ranges[piece->range_at];
	char digits[32];
	int size = snprintf(digits, sizeof(digits), "%0*" PRIu64, range->width,
			    range->first + piece->value_at * range->step);
	if (size < 0 || (size_t)size > room)
		return -1;
	memcpy(name, digits, (size_t)size);
	return size;
}

int nodeset_item_next(struct nodeset_item *item, char name[NODESET_NAME_MAX + 1])
{
	size_t used = 0;

	for (uint32_t i = 0; i < item->count; i++) {
		int size = print_piece(&item->pieces[i], name + used, NODESET_NAME_MAX - used);
		if (size < 0)
			return -1;
		used += (size_t)size;
	}
	/* "store.example.org." is the same host as without the dot. */
	if (used > 1 && name[used - 1] == '.')
		used--;
	name[used] = '\0';
	for (uint32_t i = item->count; i > 0 && !advance(&item->pieces[i - 1]); i--)
		;
	return 0;
}

void nodeset_item_release(struct nodeset_item *item)
{
	for (uint32_t i = 0; i < item->count; i++)
		free(item->pieces[i].ranges);
	free(item->pieces);
	*item = (struct nodeset_item){0};
}
