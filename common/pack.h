/* pack.h - single msgpack values at the end of growing bytes, each in its shortest form. */
#ifndef MUSTER_COMMON_PACK_H
#define MUSTER_COMMON_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bytes.h"

void pack_nil(struct bytes *into);
void pack_bool(struct bytes *into, bool value);
void pack_unsigned(struct bytes *into, uint64_t value);
void pack_signed(struct bytes *into, int64_t value);
void pack_real(struct bytes *into, double value);
/* NULL is nil. */
void pack_text(struct bytes *into, const char *text);
/* The head of an array: `count` values must follow. */
void pack_array(struct bytes *into, uint32_t count);

#endif
