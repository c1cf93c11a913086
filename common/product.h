/* product.h - what a command that talks to hosts prints on standard output.
 *
 * It is kept in memory until no host waits for the command any more, and then delivered to whoever
 * takes it, within a bound: a pipe that nobody reads must not hold the command for ever. One
 * thread. */
#ifndef MUSTER_COMMON_PRODUCT_H
#define MUSTER_COMMON_PRODUCT_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/* To be written to; it is the same until the delivery. */
FILE *product_file(void);
void product_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Puts all of it on standard output. -1 (ERROR_SYSTEM) when that fails, or has taken nothing for
 * `patience_ns`: then a thread has the rest for ever. */
#define PRODUCT_PATIENCE_NS UINT64_C(60000000000)
int product_deliver(uint64_t patience_ns, struct error *err);

/* For what went to stdout instead, by who keeps no host waiting: puts out the rest. -1
 * (ERROR_SYSTEM) when any of it was not taken. Once, at the end. */
int product_flush(struct error *err);

#endif
