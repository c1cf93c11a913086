#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/outlet.h"
#include "common/utf8.h"

static const char *program_name = "muster";
static enum log_level most_level = LOG_LEVEL_INFO;

void log_init(const char *program, enum log_level most)
{
	program_name = program;
	most_level = most;
}

/* The line is put together first and written with one call, so that threads do not mix theirs. */
static void print(enum log_level level, const char *what, const char *format, va_list args)
{
	char line[2048];

	if (level > most_level)
		return;
	int used = snprintf(line, sizeof(line), "%s: %s", program_name, what);
	int more = vsnprintf(line + used, sizeof(line) - (size_t)used - 1, format, args);
	(void)more;
	/* What a peer or a file says goes to a terminal. */
	utf8_make_shown(line);
	size_t length = strlen(line);
	line[length++] = '\n';
	outlet_put(line, length);
}

#define LOG_FUNCTION(name, level, what)                                                            \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
		va_start(args, format);                                                            \
		print(level, what, format, args);                                                  \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR, "error: ")
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING, "warning: ")
LOG_FUNCTION(log_info, LOG_LEVEL_INFO, "")
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG, "debug: ")

uint64_t log_limit_pass(struct log_limit *limit, uint64_t now_ns)
{
	if (limit->last_ns && now_ns - limit->last_ns < UINT64_C(1000000000)) {
		limit->held_back++;
		return 0;
	}
	uint64_t passed = 1 + limit->held_back;
	limit->last_ns = now_ns ? now_ns : 1;
	limit->held_back = 0;
	return passed;
}
