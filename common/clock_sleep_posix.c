/* clock_sleep_posix.c - nanosleep of the difference: clock_nanosleep is absent on FreeBSD before 11
 * and in another library on Solaris 10. */
#include "common/clock.h"

#include <time.h>

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
