/* record_json.h - records as JSON: keys and raw integers, units in the keys.
 *
 * An absent text or record and an unknown number (NAN) are null; a list keyed by text is an object;
 * integers over 2^63 - 1 are clamped to it, since JSON readers have no more. */
#ifndef MUSTER_COMMON_RECORD_JSON_H
#define MUSTER_COMMON_RECORD_JSON_H

#include "common/error.h"
#include "common/record.h"

/* The record as JSON text with one member a line, in the order of the rows, the caller's to free.
 * Reals read back exactly; text that is not UTF-8 has U+FFFD where it is none. */
char *record_json_format(const struct record_table *table, const void *record);

/* Reads what record_json_format wrote (missing and unknown keys, wrong types, ranges: an error with
 * line and column or path). `record` zeroed before; owns nothing on -1. */
int record_json_parse(const struct record_table *table, void *record, const char *text,
		      struct error *err);

/* In what a record of another build is unlike ours: "phase.sync_every, host.uptime_s", each once; a
 * key that is not known and says nothing (null, false, 0, empty) is left out. NULL: in nothing. */
struct record_json_gaps {
	char *unknown, *absent;
};
void record_json_gaps_release(struct record_json_gaps *gaps);

/* Reads what another build wrote: keys that are not known are passed over, members that are not
 * there are their fallback, or else NULL, zero, NAN. Those that are `required` have to be there.
 * Fills `gaps`, zeroed before, also on -1. */
int record_json_parse_other(const struct record_table *table, void *record, const char *text,
			    struct record_json_gaps *gaps, struct error *err);

#endif
