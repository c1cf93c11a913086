/* bytes.h - bytes that grow. */
#ifndef MUSTER_COMMON_BYTES_H
#define MUSTER_COMMON_BYTES_H

#include <stddef.h>

/* Zero before use; free `data`. */
struct bytes {
	unsigned char *data;
	size_t size, capacity;
};

void bytes_append(struct bytes *into, const void *data, size_t size);

#endif
