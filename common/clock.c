#include "common/clock.h"

#include <time.h>

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
