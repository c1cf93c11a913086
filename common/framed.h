/* framed.h - records one after the other in a file that may end anywhere, since its writer died.
 *
 * A record is the length of its content and the CRC-32 (IEEE 802.3) of length and content, 32 bits
 * each with the lowest byte first, and the content. What stands before a record that is cut off or
 * damaged holds; nothing behind it is believed. */
#ifndef MUSTER_COMMON_FRAMED_H
#define MUSTER_COMMON_FRAMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"

/* Bytes before the content. */
#define FRAMED_HEAD 8

/* At most UINT32_MAX bytes. */
void framed_append(struct bytes *into, const void *data, size_t size);

struct framed {
	const unsigned char *data;
	size_t size, at;
};

/* The next whole record, in the data; false when there is none. */
bool framed_next(struct framed *framed, const unsigned char **record, size_t *size);

/* After framed_next was false: bytes at the end that are no record; 0: it is whole. */
static inline size_t framed_torn(const struct framed *framed)
{
	return framed->size - framed->at;
}

/* The CRC-32 of `size` bytes behind those of which `crc` is one; 0 to begin. */
uint32_t framed_crc(uint32_t crc, const void *data, size_t size);

#endif
