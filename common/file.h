/* file.h - a whole file in memory, all of a text into a file, and the three files that a program
 * starts with. */
#ifndef MUSTER_COMMON_FILE_H
#define MUSTER_COMMON_FILE_H

#include "common/bytes.h"
#include "common/error.h"

/* Opens for reading: the descriptor, or -1 with errno. Never waits, as open() does for somebody to
 * write into a FIFO; it does not become the terminal of this process either. */
int file_open(const char *path);

/* Reads a plain file of at most `most` bytes and puts a NUL behind them, which is not counted.
 * `bytes->data` is the caller's to free; 0, or -1 and nothing to free. */
int file_read(const char *path, size_t most, struct bytes *bytes, struct error *err);

/* Writes all of it, in as many calls as that takes; 0, or -1 with errno. */
int file_write_whole(int fd, const void *data, size_t size);

/* To be called first of all: where the program was started with standard input, output or error
 * closed, puts something there that can neither be read nor written. Else the next file that is
 * opened, a device or a run's journal, would take that number, and who prints would write to it. */
void file_hold_standard(void);

#endif
