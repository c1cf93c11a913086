/* digest.h - of all findings those that matter, one line each, worst first: the same in every
 * report. run.json has all. */
#ifndef MUSTER_CONTROLLER_REPORT_DIGEST_H
#define MUSTER_CONTROLLER_REPORT_DIGEST_H

#include "controller/result.h"

#define DIGEST_MOST 12

/* All findings of one code and level. */
struct digest_entry {
	const struct result_finding *first;
	uint32_t count;
};

struct digest {
	struct digest_entry *entries;
	uint32_t count;    /* at most DIGEST_MOST */
	uint32_t left_out; /* entries */
};

/* Notes that say nothing about the figures (AGENT_NOTE, INSECURE) are not in it. */
void digest_init(struct digest *digest, const struct result *result);
void digest_release(struct digest *digest);

/* "phase 'read', host 'a': 3.1 % of the bytes …; also phase 'read', host 'b'", the caller's to
 * free. */
char *digest_line(const struct result *result, const struct digest_entry *entry);

/* Whether it is one that is not in a digest. */
bool digest_is_aside(const struct result_finding *finding);

#endif
