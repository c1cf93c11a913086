/* miscompare.h - what was read and was not what had been written: counts, and the first of it. */
#ifndef MUSTER_PROTO_MISCOMPARE_H
#define MUSTER_PROTO_MISCOMPARE_H

#include "common/record.h"

enum miscompare_kind {
	MISCOMPARE_STALE,       /* data of this place that was written over since */
	MISCOMPARE_MISDIRECTED, /* data of another place or target of this run */
	MISCOMPARE_TORN,        /* data of this place, of more than one time of writing */
	MISCOMPARE_ZEROS,
	MISCOMPARE_BIT_FLIPS, /* all but a few bits are right */
	MISCOMPARE_FOREIGN,   /* nothing that this run wrote */
	MISCOMPARE_KINDS,
};
extern const char *const miscompare_names[];

/* A block is counted once, as what its first wrong sector is. */
struct miscompares {
	uint64_t verified_bytes; /* that were compared; ramp and all; 0: no verification */
	uint64_t blocks;         /* that were wrong, of the phase's block_size; sum of the kinds */
	uint64_t stale, misdirected, torn, zeros, bit_flips, foreign;
	uint64_t first_offset; /* in the target, of the first wrong byte: the lowest one */
	uint64_t first_owner;  /* misdirected from another target: whose it is (pattern.h); 0 */
	char *first;           /* a sentence about it; NULL: none was wrong */
	char *evidence;        /* file on the host with what was expected and found; NULL */
};
extern const struct record_table miscompares_table;

#endif
