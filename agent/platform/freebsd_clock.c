/* freebsd_clock.c - the clocks at one moment; what a punctual start could use and is not tried. */
#include "agent/platform/platform.h"

#include <sys/types.h>
#include <sys/timex.h>

#include <errno.h>
#include <string.h>

#include "agent/platform/posix.h"

/* mlockall() here wires every page of every stack. */
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

/* Only read: what ntpd told the kernel, in ppm with 16 bits of fraction. */
static bool read_rate(int64_t *rate_ppb)
{
	struct timex rate;

	memset(&rate, 0, sizeof(rate));
	if (ntp_adjtime(&rate) < 0)
		return false;
	*rate_ppb = (int64_t)rate.freq * 1000 / 65536;
	return true;
}

/* CLOCK_REALTIME is this clock and the moment of the boot, which a step changes. */
void platform_clocks(struct platform_clocks *clocks)
{
	posix_clocks(clocks);
	clocks->has_rate = read_rate(&clocks->rate_ppb);
}
