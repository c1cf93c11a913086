/* clock_base_linux.c - CLOCK_MONOTONIC_RAW; timers run on CLOCK_MONOTONIC, which may be slewed. */
#include "common/clock.h"

#include <time.h>

/* Two readings of the one clock around one of the other, as close as a few tries get them: a thread
 * may be set aside in between. */
#define BRACKET_TRIES 5
#define BRACKET_NS    1000

/* Above this a sleep goes most of the way and looks again. */
#define CLOSE_NS NS_PER_MS

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

/* What the timers' clock shows now; `*now_ns`: and this one. */
static uint64_t read_both(uint64_t *now_ns)
{
	uint64_t timer = 0, best = UINT64_MAX;

	for (int i = 0; i < BRACKET_TRIES && best > BRACKET_NS; i++) {
		uint64_t before = read_clock(CLOCK_MONOTONIC_RAW);
		uint64_t middle = read_clock(CLOCK_MONOTONIC);
		uint64_t width = read_clock(CLOCK_MONOTONIC_RAW) - before;
		if (width >= best)
			continue;
		best = width;
		timer = middle;
		*now_ns = before + width / 2;
	}
	return timer;
}

void clock_sleep_until(uint64_t at_ns)
{
	while (clock_now_ns() < at_ns) {
		uint64_t now = 0, timer = read_both(&now);
		if (now >= at_ns)
			return;
		uint64_t left = at_ns - now;
		uint64_t until = timer + (left > CLOSE_NS ? left - left / 8 : left);
		struct timespec wake = {.tv_sec = (time_t)(until / NS_PER_S),
					.tv_nsec = (long)(until % NS_PER_S)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
	}
}
