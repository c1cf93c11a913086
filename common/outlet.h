/* outlet.h - standard error for who must not wait for it.
 *
 * A pipe that nobody reads and a terminal that was stopped (Ctrl-S) take nothing, for as long as
 * they like. Once started, a thread writes; what it has not written is kept up to 256 KiB, lines
 * beyond that are dropped, and how many is said as soon as there is room. The file's own flags are
 * never touched: they are the shell's as well. Safe from any thread. */
#ifndef MUSTER_COMMON_OUTLET_H
#define MUSTER_COMMON_OUTLET_H

#include <stddef.h>

/* Before it, or where no thread can be had, outlet_put writes itself. */
void outlet_start(void);
/* A line, or a piece of one. */
void outlet_put(const char *text, size_t size);
void outlet_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Waits until all is written, at most 5 s; what comes after is written at once again. */
void outlet_end(void);

#endif
