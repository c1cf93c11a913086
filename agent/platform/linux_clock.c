/* linux_clock.c - exact sleeps, pages that stay, and all clocks at one moment. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "common/clock.h"

/* The kernel lets tick and frequency move CLOCK_MONOTONIC by 10 % and 500 ppm, and adjtime() by
 * another 500 ppm, against CLOCK_MONOTONIC_RAW. CLOCK_REALTIME is moved alike. */
#define SLEW_PPM 101000

#ifndef MCL_ONFAULT /* glibc before 2.23 */
#define MCL_ONFAULT 4
#endif

#define TRIES    8
#define CLOSE_NS 2000

/* MCL_ONFAULT (Linux 4.4; EINVAL before): not every page of every stack. */
int platform_memory_lock(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	return mlockall(MCL_CURRENT | MCL_ONFAULT) == 0 ? 0 : errno;
}

void platform_memory_unlock(void)
{
	munlockall();
}

int platform_thread_exact_sleep(void)
{
	return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0 ? 0 : errno;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) < 0)
		return 0; /* CLOCK_BOOTTIME is of Linux 2.6.39 */
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void read_once(struct platform_clocks *clocks)
{
	uint64_t before = read_clock(CLOCK_MONOTONIC);

	*clocks = (struct platform_clocks){
		.base_ns = clock_now_ns(),
		.wall_ns = read_clock(CLOCK_REALTIME),
		.boot_ns = read_clock(CLOCK_BOOTTIME),
		.base_slew_ppm = SLEW_PPM,
	};
	clocks->error_ns = read_clock(CLOCK_MONOTONIC) - before;
	clocks->timer_ns = before + clocks->error_ns / 2;
}

/* A thread may be set aside between two of them: the best of a few tries. */
void platform_clocks(struct platform_clocks *clocks)
{
	struct platform_clocks now;

	read_once(clocks);
	for (int i = 1; i < TRIES && clocks->error_ns > CLOSE_NS; i++) {
		read_once(&now);
		if (now.error_ns < clocks->error_ns)
			*clocks = now;
	}
}
