/* absent.h - many hosts that did not come, in a few lines: one for each reason. */
#ifndef MUSTER_CONTROLLER_ABSENT_H
#define MUSTER_CONTROLLER_ABSENT_H

#include <stdint.h>

struct absent {
	const char *name, *endpoint;
	const char *why;
};

/* "hosts store[01-03]: no answer", in the order in which the reasons come; of a host that is alone
 * with its reason "host 'store04' (tcp://store04:7411): no answer". `*lines`: how many; each and
 * the list are the caller's to free. */
char **absent_lines(const struct absent *absent, uint32_t count, uint32_t *lines);

#endif
