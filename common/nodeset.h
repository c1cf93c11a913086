/* nodeset.h - many hosts in a few words: "store[01-04],db7", "r[1-2]n[1-3]-ib", "n[01-16/4]".
 *
 * The grammar of pdsh and ClusterShell: ranges with padding (the width of the left number), steps,
 * several brackets (the last one fastest), commas or blanks between sets, "!name" or "-name" after
 * a comma excludes, and must exclude something. At most 65,536 hosts. "[fe80::1]" is a host, not a
 * range; its name has no brackets. Bare addresses are hosts too ("2001:db8::1:9000" has no port);
 * all are kept in the form of RFC 5952, with their zone. A dot at the end of a name goes. */
#ifndef MUSTER_COMMON_NODESET_H
#define MUSTER_COMMON_NODESET_H

#include <stdint.h>

#include "common/error.h"

struct nodeset {
	char **names;
	uint32_t count;
};

/* In the order written, a name twice is an error. 0, or -1 with what is wrong and where in the
 * text. */
int nodeset_parse(struct nodeset *set, const char *text, struct error *err);
void nodeset_release(struct nodeset *set);

/* A short text that parses back to the same names in the same order; the caller's to free. */
char *nodeset_format(const struct nodeset *set);

#endif
