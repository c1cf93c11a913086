/* file.h - a whole file in memory. */
#ifndef MUSTER_COMMON_FILE_H
#define MUSTER_COMMON_FILE_H

#include "common/bytes.h"
#include "common/error.h"

/* Reads a plain file of at most `most` bytes and puts a NUL behind them, which is not counted.
 * `bytes->data` is the caller's to free; 0, or -1 and nothing to free. */
int file_read(const char *path, size_t most, struct bytes *bytes, struct error *err);

#endif
