/* clock_hook.c - stands in for clock_base in muster-agent-hooked: an agent whose clock runs wrong
 * as the environment says. No other program has this.
 *
 *     MUSTER_CLOCK_PPB            runs that much fast (negative: slow) from the program's start on
 *     MUSTER_CLOCK_STEP_NS        jumps by that much, back when negative,
 *     MUSTER_CLOCK_STEP_AFTER_MS  so long after the program's start (0)
 *     MUSTER_CLOCK_ORACLE         a file to which a line is appended with what makes it up: at the
 *                                 true T it shows T + floor((T - begin_ns) * drift_ppb / 10^9),
 *                                 and step_ns more when T >= step_at_ns
 *
 * The true clock is the system's clock_base under other names (see CMakeLists.txt). */
#include "common/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/hooked_clock.h"

uint64_t clock_true_now_ns(void);
void clock_true_sleep_until(uint64_t at_ns);

static struct hooked_clock hooked;

static int64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoll(text, NULL, 10) : 0;
}

static void tell_oracle(const char *path)
{
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file,
		"{\"pid\":%ld,\"begin_ns\":%" PRIu64 ",\"drift_ppb\":%" PRId64
		",\"step_at_ns\":%" PRIu64 ",\"step_ns\":%" PRId64 "}\n",
		(long)getpid(), hooked.begin_ns, hooked.drift_ppb, hooked.step_at_ns,
		hooked.step_ns);
	fclose(file);
}

/* Before main: no thread has read the clock, and none sees it change its rules. */
__attribute__((constructor)) static void set_up(void)
{
	uint64_t after = (uint64_t)number("MUSTER_CLOCK_STEP_AFTER_MS") * NS_PER_MS;

	hooked.begin_ns = clock_true_now_ns();
	hooked.drift_ppb = number("MUSTER_CLOCK_PPB");
	hooked.step_ns = number("MUSTER_CLOCK_STEP_NS");
	hooked.step_at_ns = hooked.step_ns ? hooked.begin_ns + after : UINT64_MAX;
	tell_oracle(getenv("MUSTER_CLOCK_ORACLE"));
}

uint64_t clock_now_ns(void)
{
	return hooked_shows(&hooked, clock_true_now_ns());
}

void clock_sleep_until(uint64_t at_ns)
{
	clock_true_sleep_until(hooked_when(&hooked, at_ns, clock_true_now_ns()));
}
