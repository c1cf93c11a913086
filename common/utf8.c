#include "common/utf8.h"

#include <stdint.h>

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
