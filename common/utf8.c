#include "common/utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the character that begins at `at`, 0 when it is none. */
static size_t character(const unsigned char *at, size_t left)
{
	size_t size;
	uint32_t value, least;

	if (at[0] < 0x80)
		return 1;
	if (at[0] < 0xc0)
		return 0;
	if (at[0] < 0xe0) {
		size = 2, value = at[0] & 0x1fu, least = 0x80;
	} else if (at[0] < 0xf0) {
		size = 3, value = at[0] & 0x0fu, least = 0x800;
	} else if (at[0] < 0xf8) {
		size = 4, value = at[0] & 0x07u, least = 0x10000;
	} else {
		return 0;
	}
	if (size > left)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (at[i] & 0x3fu);
	}
	if (value < least || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return size;
}

size_t utf8_valid(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t step = character((const unsigned char *)text + at, size - at);
		if (!step)
			break;
		at += step;
	}
	return at;
}

size_t utf8_step(const char *at)
{
	size_t size = 1;

	while (((unsigned char)at[size] & 0xc0) == 0x80)
		size++;
	return size;
}

static bool is_obeyed(const char *at, size_t size)
{
	const unsigned char *c = (const unsigned char *)at;

	if (size == 1)
		return c[0] < 0x20 || c[0] == 0x7f;
	if (size == 2)
		return c[0] == 0xc2 && c[1] < 0xa0;
	if (size != 3 || c[0] != 0xe2)
		return false;
	return (c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
	       (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

/* Bytes of what stands at `at`: a character, or one byte that is none. */
static size_t piece(const char *at, size_t left, bool *is_shown)
{
	size_t size = character((const unsigned char *)at, left);

	*is_shown = size > 0 && !is_obeyed(at, size);
	return size ? size : 1;
}

bool utf8_is_shown(const char *text)
{
	size_t left = strlen(text);
	bool is_shown = true;

	while (left && is_shown) {
		size_t size = piece(text, left, &is_shown);
		text += size;
		left -= size;
	}
	return is_shown;
}

void utf8_make_shown(char *text)
{
	size_t left = strlen(text);
	char *to = text;

	while (left) {
		bool is_shown;
		size_t size = piece(text, left, &is_shown);
		if (is_shown)
			memmove(to, text, size);
		else
			*to = '?';
		to += is_shown ? size : 1;
		text += size;
		left -= size;
	}
	*to = '\0';
}
