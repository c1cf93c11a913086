/* session_stuck.c - is a request outstanding for longer than io_timeout: says so while it still is,
 * since what sits in the system cannot be ended from here. */
#include "agent/session_inside.h"

#include <stdlib.h>

#include "agent/outstanding.h"
#include "common/memory.h"
#include "common/units.h"

#define LOOK_EACH_NS NS_PER_S

/* As a sentence, the caller's to free. */
static char *describe(const struct phase_run_request *request, uint64_t limit_ns)
{
	char waited[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];
	bool is_sync = request->offset == OUTSTANDING_SYNC;
	char *what = is_sync ? mem_text("an fsync")
			     : mem_format("a request at offset %llu",
					  (unsigned long long)request->offset);
	char *text = mem_format("I/O is stuck: %s of target '%s' (%s) has been outstanding for %s, "
				"io_timeout is %s",
				what, request->target, request->path ? request->path : "null",
				units_format_ns(waited, (double)request->waited_ns),
				units_format_ns(limit, (double)limit_ns));

	free(what);
	return text;
}

static void declare(struct session *s, const struct phase_run_request *request)
{
	char *why = describe(request, phase_run_io_timeout(s->run));

	log_error("%s", why);
	phase_run_stop(s->run, DONE_BROKEN, why);
	free(s->stuck);
	s->stuck = why;
}

/* Seen twice with the same beginning: a host that was frozen as a whole has old requests too, and
 * they come back as soon as it goes on. */
void session_watch_stuck(struct session *s, uint64_t now)
{
	struct phase_run_request request;

	if (now - s->stuck_look_ns < LOOK_EACH_NS)
		return;
	s->stuck_look_ns = now;
	if (!phase_run_outstanding(s->run, now, &request)) {
		s->stuck_since_ns = 0;
		return;
	}
	if (!s->stuck && s->stuck_since_ns == request.since_ns)
		declare(s, &request);
	s->stuck_since_ns = request.since_ns;
	if (!s->stuck)
		return;
	struct stuck body = {.target = (char *)request.target,
			     .offset = request.offset,
			     .waited_ns = request.waited_ns,
			     .text = s->stuck};
	session_send(s, MESSAGE_STUCK, &body);
}
