/* nodeset_item.h - one set of a nodeset, "r[1-2]n[01-16/4]-ib": taken apart, then name by name. */
#ifndef MUSTER_COMMON_NODESET_ITEM_H
#define MUSTER_COMMON_NODESET_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define NODESET_NAME_MAX   253u /* RFC 1035 */
#define NODESET_DIGITS_MAX 18u  /* of a number in brackets */

/* How many hosts a nodeset names at most: in nodeset_most.c, so that fuzzers have fewer. */
extern const uint32_t nodeset_hosts_most;

/* Where the reading of a nodeset stands. */
struct nodeset_text {
	const char *start, *at;
	struct error *err;
};

/* Say what is wrong there; answer -1. */
int nodeset_refuse(const struct nodeset_text *text, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The character at `at` does not belong there. */
int nodeset_refuse_char(const struct nodeset_text *text);

/* "01-16/4": `count` numbers of at least `width` digits. */
struct nodeset_range {
	uint64_t first, step, count;
	int width;
};

/* A part of a name: literal text (lent by what is parsed), or the numbers of one bracket. */
struct nodeset_piece {
	const char *literal;
	size_t size;
	struct nodeset_range *ranges;
	uint32_t ranges_count;
	uint64_t values;   /* numbers in all ranges */
	uint32_t range_at; /* the next name has this number */
	uint64_t value_at;
};

/* Zero before use. */
struct nodeset_item {
	struct nodeset_piece *pieces;
	uint32_t count;
	uint64_t names; /* that it stands for, at most nodeset_hosts_most */
};

/* Reads up to what cannot belong to a set. */
int nodeset_item_parse(struct nodeset_item *item, struct nodeset_text *text);

/* The next of the names, the last bracket fastest; -1 when it is longer than NODESET_NAME_MAX. */
int nodeset_item_next(struct nodeset_item *item, char name[NODESET_NAME_MAX + 1]);
void nodeset_item_release(struct nodeset_item *item);

#endif
