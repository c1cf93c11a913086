#include "common/bytes.h"

#include <string.h>

#include "common/memory.h"

void bytes_append(struct bytes *into, const void *data, size_t size)
{
	if (!size)
		return;
	if (into->capacity - into->size < size) {
		into->capacity = (into->size + size) * 2;
		into->data = mem_resize(into->data, into->capacity, 1);
	}
	memcpy(into->data + into->size, data, size);
	into->size += size;
}
