#include "common/clock.h"

#include <time.h>

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* nanosleep of the difference, in a loop: clock_nanosleep is absent on FreeBSD before 11. */
void clock_sleep_until(uint64_t at_ns)
{
	for (;;) {
		uint64_t now = clock_now_ns();
		if (now >= at_ns)
			return;
		uint64_t left = at_ns - now;
		struct timespec wait = {.tv_sec = (time_t)(left / NS_PER_S),
					.tv_nsec = (long)(left % NS_PER_S)};
		nanosleep(&wait, NULL);
	}
}

void clock_sleep(uint64_t duration_ns)
{
	clock_sleep_until(clock_now_ns() + duration_ns);
}

void clock_wall_text(char text[CLOCK_TEXT_SIZE])
{
	time_t now = time(NULL);
	struct tm parts;

	gmtime_r(&now, &parts);
	strftime(text, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
