/* record_msgpack.h - records as msgpack, packed by position.
 *
 * A record is an array of its rows' values in their order (the fingerprint in `hello` says that
 * both sides have the same rows); absent text and records are nil; enumerations are names; a list
 * is an array of records. */
#ifndef MUSTER_COMMON_RECORD_MSGPACK_H
#define MUSTER_COMMON_RECORD_MSGPACK_H

#include <stddef.h>

#include "common/bytes.h"
#include "common/error.h"
#include "common/record.h"

/* Appends the packed record; cannot fail. */
void record_pack(const struct record_table *table, const void *record, struct bytes *into);

/* Walks `size` bytes and demands that they are exactly `values` whole msgpack values, nested less
 * than 8 deep, every declared element and byte present. Runs before msgpack-c sees anything: a lie
 * about a length then never becomes an allocation (msgpack-c issue 1013: five bytes make it ask
 * for 96 GB). Linear in the input, no memory. 0 or -1. */
int record_walk(const unsigned char *data, size_t size, unsigned values, struct error *err);

/* Where the value that begins at data[0] ends; walked like record_walk. 0 when it is not whole. */
size_t record_walk_one(const unsigned char *data, size_t size);

/* Unpacks into the zeroed `record`. On -1 (ERROR_PROTOCOL) it owns nothing. Everything is
 * checked: types, ranges of rows, names of enumerations, text without NUL bytes and valid UTF-8.
 * Text and records of `required` rows are never absent; those of others can be. Takes at most some
 * thirty times `size` of memory on the way (24 bytes for each value, of which each is a byte). */
int record_unpack(const struct record_table *table, void *record, const unsigned char *data,
		  size_t size, struct error *err);

#endif
