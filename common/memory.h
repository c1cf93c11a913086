/* memory.h - small allocations that cannot fail.
 *
 * When the system has no memory for a few hundred bytes, no careful path out of it would work
 * either: these print one line and exit. Not for I/O buffers, which can fail and say how much was
 * asked for. Everything is freed with free(). */
#ifndef MUSTER_COMMON_MEMORY_H
#define MUSTER_COMMON_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* `count` elements of `size` bytes, all zero; never NULL, also for zero elements. */
void *mem_new(size_t count, size_t size);

/* `pointer` (may be NULL) grown or shrunk to `count` elements; what is new is not zeroed. */
void *mem_resize(void *pointer, size_t count, size_t size);

/* A copy of `text`; NULL for NULL. */
char *mem_text(const char *text);

/* What printf would print. */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
