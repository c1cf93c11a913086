#include "agent/platform/posix.h"

#include <string.h>
#include <time.h>

#include "common/clock.h"

void posix_clocks(struct platform_clocks *clocks)
{
	struct timespec wall;

	memset(clocks, 0, sizeof(*clocks));
	clocks->base_ns = clocks->timer_ns = clock_now_ns();
	clock_gettime(CLOCK_REALTIME, &wall);
	clocks->error_ns = clock_now_ns() - clocks->base_ns;
	clocks->wall_ns = (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec;
}
