#include "controller/report/xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the well-formed character that begins here. */
static size_t length_of(const char *at)
{
	unsigned char c = (unsigned char)*at;

	return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* The reference for a character, NULL where it stands for itself. */
static const char *reference(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

static bool is_forbidden(const char *at, size_t length)
{
	unsigned char c = (unsigned char)*at;

	return (length == 1 && (c < 0x20 || c == 0x7f)) ||
	       (length == 3 &&
		(memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0));
}

void xml_print(FILE *file, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	for (size_t at = 0, valid = 0; at < size;) {
		if (valid == 0)
			valid = utf8_valid(text + at, size - at);
		if (valid == 0) {
			fputs(REPLACEMENT, file);
			at++;
			continue;
		}
		size_t length = length_of(text + at);
		const char *other = reference(text[at]);
		if (other)
			fputs(other, file);
		else if (is_forbidden(text + at, length))
			fputs(REPLACEMENT, file);
		else
			fwrite(text + at, 1, length, file);
		at += length;
		valid -= length;
	}
}

void xml_attribute(FILE *file, const char *name, const char *text)
{
	fprintf(file, " %s=\"", name);
	xml_print(file, text);
	fputc('"', file);
}
