#include "controller/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/memory.h"
#include "common/outlet.h"
#include "common/units.h"

#define TERMINAL_NS (NS_PER_S / 4)
#define PLAIN_NS    (10 * NS_PER_S)

void progress_init(struct progress_line *line, bool quiet)
{
	const char *terminal = getenv("TERM");

	*line = (struct progress_line){.quiet = quiet};
	line->terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
	line->shown_ns = clock_now_ns();
}

void progress_end(struct progress_line *line)
{
	if (line->open)
		outlet_put("\n", 1);
	line->open = false;
}

void progress_say(struct progress_line *line, const char *format, ...)
{
	va_list args;

	if (line->quiet)
		return;
	va_start(args, format);
	char *text = mem_format_list(format, args);
	va_end(args);
	outlet_print("%s%s\n", line->open ? "\r\033[K" : "", text);
	free(text);
	line->open = false;
	line->shown_ns = clock_now_ns();
	line->bytes = 0;
}

void progress_show(struct progress_line *line, const char *what, double share, uint64_t bytes,
		   uint64_t left_ns)
{
	uint64_t now = clock_now_ns(), passed = now - line->shown_ns;
	char rate[UNITS_TEXT_SIZE], percent[16] = "", left[32] = "";

	if (line->quiet || passed < (line->terminal ? TERMINAL_NS : PLAIN_NS))
		return;
	/* Less than before: another count has begun, as of a load after its lay-out. */
	uint64_t moved = bytes >= line->bytes ? bytes - line->bytes : bytes;
	units_format_rate(rate, (double)moved / ((double)passed / 1e9));
	if (share >= 0)
		snprintf(percent, sizeof(percent), "%3.0f %%  ", 100 * (share > 1 ? 1 : share));
	if (left_ns)
		snprintf(left, sizeof(left), "  %llu s left",
			 (unsigned long long)((left_ns + NS_PER_S - 1) / NS_PER_S));
	outlet_print("%s  %s  %s%s%s%s", line->terminal ? "\r\033[K" : "", what, percent, rate,
		     left, line->terminal ? "" : "\n");
	line->open = line->terminal;
	line->shown_ns = now;
	line->bytes = bytes;
}
