#include "common/framed.h"

#include <assert.h>
#include <string.h>

#define POLYNOMIAL UINT32_C(0xedb88320) /* of IEEE 802.3, bits reversed */

/* A nibble at a time: sixteen entries are soon written down, and this is no hot path. */
static const uint32_t nibbles[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
	0x4db26158, 0x5005713c, POLYNOMIAL, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t framed_crc(uint32_t crc, const void *data, size_t size)
{
	const unsigned char *at = data;

	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= at[i];
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

static void put(unsigned char *into, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		into[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t get(const unsigned char *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
	       (uint32_t)from[3] << 24;
}

void framed_append(struct bytes *into, const void *data, size_t size)
{
	unsigned char head[FRAMED_HEAD];

	assert(size <= UINT32_MAX);
	put(head, (uint32_t)size);
	put(head + 4, framed_crc(framed_crc(0, head, 4), data, size));
	bytes_append(into, head, sizeof(head));
	bytes_append(into, data, size);
}

bool framed_next(struct framed *framed, const unsigned char **record, size_t *size)
{
	size_t left = framed->size - framed->at;

	if (left < FRAMED_HEAD)
		return false;
	const unsigned char *head = framed->data + framed->at;
	if (get(head) > left - FRAMED_HEAD)
		return false;
	*size = get(head);
	*record = head + FRAMED_HEAD;
	if (framed_crc(framed_crc(0, head, 4), *record, *size) != get(head + 4))
		return false;
	framed->at += FRAMED_HEAD + *size;
	return true;
}
