/* session_stuck.c - is a request, or the opening of a target, outstanding for longer than
 * io_timeout: says so while it still is, since what sits in the system cannot be ended from here.
 */
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

/* Takes the text. */
static void declare(struct session *s, char *why)
{
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
		declare(s, describe(&request, phase_run_io_timeout(s->run)));
	s->stuck_since_ns = request.since_ns;
	if (!s->stuck)
		return;
	struct stuck body = {.target = (char *)request.target,
			     .offset = request.offset,
			     .waited_ns = request.waited_ns,
			     .text = s->stuck};
	session_send(s, MESSAGE_STUCK, &body);
}

/* ---- before the start ---- */

static char *describe_opening(const char *target, uint64_t waited_ns, uint64_t limit_ns)
{
	char waited[UNITS_TEXT_SIZE], limit[UNITS_TEXT_SIZE];

	return mem_format("I/O is stuck: the system has not come back from opening or looking at "
			  "target '%s' for %s, io_timeout is %s; look at that device",
			  target, units_format_ns(waited, (double)waited_ns),
			  units_format_ns(limit, (double)limit_ns));
}

/* The time in which this process did not run either does not count. */
void session_watch_opening(struct session *s, uint64_t now)
{
	const char *target = phase_run_preparing(s->run);
	uint64_t limit = phase_run_io_timeout(s->run);
	bool stood_still = now - s->opening_look_ns > LOOK_EACH_NS;

	s->opening_look_ns = now;
	if (target != s->opening || stood_still)
		s->opening_since_ns = now;
	s->opening = target;
	uint64_t waited = now - s->opening_since_ns;
	if (!target || waited <= limit || now - s->stuck_look_ns < LOOK_EACH_NS)
		return;
	s->stuck_look_ns = now;
	if (!s->stuck)
		declare(s, describe_opening(target, waited, limit));
	struct stuck body = {.target = (char *)target, .waited_ns = waited, .text = s->stuck};
	session_send(s, MESSAGE_STUCK, &body);
}
