#include "common/pack.h"

#include <assert.h>
#include <string.h>

/* A type byte, then the low `width` bytes of the number, the highest first. */
static void append_number(struct bytes *into, unsigned char type, uint64_t number, unsigned width)
{
	unsigned char bytes[9] = {type};

	for (unsigned i = 0; i < width; i++)
		bytes[1 + i] = (unsigned char)(number >> (8 * (width - 1 - i)));
	bytes_append(into, bytes, 1 + width);
}

void pack_nil(struct bytes *into)
{
	append_number(into, 0xc0, 0, 0);
}

void pack_bool(struct bytes *into, bool value)
{
	append_number(into, value ? 0xc3 : 0xc2, 0, 0);
}

void pack_unsigned(struct bytes *into, uint64_t value)
{
	if (value < 0x80)
		append_number(into, (unsigned char)value, 0, 0);
	else if (value <= UINT8_MAX)
		append_number(into, 0xcc, value, 1);
	else if (value <= UINT16_MAX)
		append_number(into, 0xcd, value, 2);
	else if (value <= UINT32_MAX)
		append_number(into, 0xce, value, 4);
	else
		append_number(into, 0xcf, value, 8);
}

void pack_signed(struct bytes *into, int64_t value)
{
	uint64_t bits = (uint64_t)value;

	if (value >= 0)
		pack_unsigned(into, bits);
	else if (value >= -32)
		append_number(into, (unsigned char)bits, 0, 0);
	else if (value >= INT8_MIN)
		append_number(into, 0xd0, bits, 1);
	else if (value >= INT16_MIN)
		append_number(into, 0xd1, bits, 2);
	else if (value >= INT32_MIN)
		append_number(into, 0xd2, bits, 4);
	else
		append_number(into, 0xd3, bits, 8);
}

void pack_real(struct bytes *into, double value)
{
	uint64_t bits;

	_Static_assert(sizeof(bits) == sizeof(value), "double is IEEE 754 binary64");
	memcpy(&bits, &value, sizeof(bits));
	append_number(into, 0xcb, bits, 8);
}

void pack_text(struct bytes *into, const char *text)
{
	if (!text) {
		pack_nil(into);
		return;
	}
	size_t size = strlen(text);
	assert(size <= UINT32_MAX);
	if (size < 32)
		append_number(into, (unsigned char)(0xa0 | size), 0, 0);
	else if (size <= UINT8_MAX)
		append_number(into, 0xd9, size, 1);
	else if (size <= UINT16_MAX)
		append_number(into, 0xda, size, 2);
	else
		append_number(into, 0xdb, size, 4);
	bytes_append(into, text, size);
}

void pack_array(struct bytes *into, uint32_t count)
{
	if (count < 16)
		append_number(into, (unsigned char)(0x90 | count), 0, 0);
	else if (count <= UINT16_MAX)
		append_number(into, 0xdc, count, 2);
	else
		append_number(into, 0xdd, count, 4);
}
