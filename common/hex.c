#include "common/hex.h"

#include <string.h>

static const char digits[] = "0123456789abcdef";

void hex_format(char *text, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[from[i] >> 4];
		text[2 * i + 1] = digits[from[i] & 15];
	}
	text[2 * size] = 0;
}

static int value(char c)
{
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

bool hex_parse(void *bytes, size_t size, const char *text)
{
	unsigned char *into = bytes;

	for (size_t i = 0; i < size; i++) {
		int high = value(text[2 * i]), low = high < 0 ? -1 : value(text[2 * i + 1]);
		if (low < 0) {
			memset(into, 0, size);
			return false;
		}
		into[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}
