/* log.h - what a program tells the person beside its product: one line each, on stderr.
 *
 * Only main.c, the controller's run loop and the agent's session log errors; everything else
 * returns a struct error. Safe from any thread. */
#ifndef MUSTER_COMMON_LOG_H
#define MUSTER_COMMON_LOG_H

#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* `program` is printed in front of each line and is kept, not copied. */
void log_init(const char *program, enum log_level most);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lets a warning that a peer can provoke through at most once a second. Returns 0 when the caller
 * must be silent, else 1 + how many were held back since the last that went through. Zeroed before
 * its first use; for one thread. */
struct log_limit {
	uint64_t last_ns;
	uint64_t held_back;
};
uint64_t log_limit_pass(struct log_limit *limit, uint64_t now_ns);

#endif
