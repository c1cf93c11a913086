/* sunos_clock.c - the clocks at one moment; what a punctual start could use and is not tried. */
#include "agent/platform/platform.h"

#include <errno.h>

#include "agent/platform/posix.h"

/* adjtime() moves the wall clock, and it alone, by at most 1/32. */
#define WALL_SLEW_PPM 32500

/* mlockall() here locks every page of every stack. */
int platform_memory_lock(void)
{
	return ENOTSUP;
}

void platform_memory_unlock(void)
{
}

int platform_thread_exact_sleep(void)
{
	return ENOTSUP;
}

void platform_clocks(struct platform_clocks *clocks)
{
	posix_clocks(clocks);
	clocks->wall_slew_ppm = WALL_SLEW_PPM;
}
