/* clock_record.h - the raw exchanges of a run in a compact file of its own, clock.bin, so that a
 * later muster can fit them again.
 *
 *     "MUSTERCK", format (1), hosts, and for each host
 *         length of its name, name (UTF-8), samples, and for each sample, as differences
 *             t1 to the t1 before, t4 to t1, theta = t2 - t1 to the theta before (signed),
 *             t3 to t2 (signed), upper_error * 4 + stamp, lower_error to upper_error (signed)
 *
 * All numbers are variable-length integers: seven bits a byte from the lowest on, the top bit says
 * that more follow; none longer than it must be, signed ones zigzag (0, -1, 1, -2, ...). So one
 * record has one file. About 14 bytes a sample. Nothing is believed on reading: what is claimed has
 * to be there before memory is taken for it. */
#ifndef MUSTER_CONTROLLER_CLOCK_RECORD_H
#define MUSTER_CONTROLLER_CLOCK_RECORD_H

#include <stdint.h>

#include "common/bytes.h"
#include "common/error.h"
#include "controller/clock_fit.h"

struct clock_record_host {
	char *host;
	struct clock_sample *samples;
	uint32_t count;
};
struct clock_record {
	struct clock_record_host *hosts;
	uint32_t count;
};

/* Samples are in order of t1, and t4 is not before t1: otherwise the file is refused on reading. */
void clock_record_pack(const struct clock_record *record, struct bytes *into);
/* Into the zeroed record; -1 (ERROR_USAGE) with what is wrong and where, and nothing owned. */
int clock_record_unpack(struct clock_record *record, const unsigned char *data, size_t size,
			struct error *err);
void clock_record_release(struct clock_record *record);

#endif
