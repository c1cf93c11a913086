/* clock_base_sunos.c - gethrtime(), which adjtime() leaves alone. */
#include "common/clock.h"

#include <sys/time.h>

uint64_t clock_now_ns(void)
{
	return (uint64_t)gethrtime();
}
