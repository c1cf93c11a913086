/* progress.h - what a run is doing, on stderr: a line that is rewritten on a terminal, a plain line
 * each 10 s otherwise. */
#ifndef MUSTER_CONTROLLER_PROGRESS_H
#define MUSTER_CONTROLLER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress_line {
	bool quiet, terminal;
	uint64_t shown_ns;
	bool open;      /* a line on the terminal that is not ended */
	uint64_t bytes; /* at shown_ns, for the rate */
};

void progress_init(struct progress_line *line, bool quiet);

/* Shows `what` with the share done (of < 0: unknown), the rate since the last and the time left;
 * does nothing when the last was shown too short ago. */
void progress_show(struct progress_line *line, const char *what, double share, uint64_t bytes,
		   uint64_t left_ns);

/* A whole line, shown at once (not when quiet). */
void progress_say(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the line on the terminal before something else is printed. */
void progress_end(struct progress_line *line);

#endif
