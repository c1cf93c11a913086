/* clock_base_posix.c - CLOCK_MONOTONIC, for systems that have no clock which is never slewed. */
#include "common/clock.h"

#include <time.h>

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
