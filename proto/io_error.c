#include "proto/io_error.h"

static const struct record_row rows[] = {
	{MEMBER(struct io_error, op), .doc = "read, write or sync"},
	{MEMBER(struct io_error, error),
	 .doc = "as the host's system calls it; short: fewer bytes than asked for, and no error"},
	{MEMBER(struct io_error, count), .doc = "how many, also in the ramp"},
	{MEMBER(struct io_error, first_offset),
	 .doc = "in the target, of the block that failed first; 0 for sync"},
};
const struct record_table io_error_table = RECORD_TABLE(
	struct io_error, "io_error", rows, "Operations on a target that failed alike.");
