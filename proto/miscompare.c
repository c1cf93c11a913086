#include "proto/miscompare.h"

const char *const miscompare_names[] = {"stale",     "misdirected", "torn", "zeros",
					"bit flips", "foreign",     NULL};

static const struct record_row rows[] = {
	{MEMBER(struct miscompares, verified_bytes),
	 .doc = "that were read and compared, also in the ramp; 0: nothing was"},
	{MEMBER(struct miscompares, blocks),
	 .doc = "that were wrong; each counts as what its first wrong sector is"},
	{MEMBER(struct miscompares, stale), .doc = "of them, data that was written over since"},
	{MEMBER(struct miscompares, misdirected),
	 .doc = "of them, data of another place or target"},
	{MEMBER(struct miscompares, torn), .doc = "of them, data of two times of writing"},
	{MEMBER(struct miscompares, zeros), .doc = "of them, zeros"},
	{MEMBER(struct miscompares, bit_flips), .doc = "of them, right but for a few bits"},
	{MEMBER(struct miscompares, foreign), .doc = "of them, nothing that the run wrote"},
	{MEMBER(struct miscompares, first_offset),
	 .doc = "in the target, of the lowest wrong byte"},
	{MEMBER(struct miscompares, first_owner),
	 .doc = "hash of the other target whose data that is; 0: none"},
	{MEMBER(struct miscompares, first), .doc = "a sentence about it; absent: all was right"},
	{MEMBER(struct miscompares, evidence),
	 .doc = "file on the host: what was expected and found in the first bad blocks"},
};
const struct record_table miscompares_table =
	RECORD_TABLE(struct miscompares, "miscompares", rows,
		     "Data that was read and was not what had been written there.");
