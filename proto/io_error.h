/* io_error.h - errors of I/O, counted by what failed and how. */
#ifndef MUSTER_PROTO_IO_ERROR_H
#define MUSTER_PROTO_IO_ERROR_H

#include "common/record.h"

struct io_error {
	char *op;    /* read, write, sync */
	char *error; /* the system's words; "short": moved some of its bytes, and no error was said
		      */
	uint64_t count;        /* ramp and all */
	uint64_t first_offset; /* in the target, of the one that came first; of a sync 0 */
};
extern const struct record_table io_error_table;

#endif
