/* posix.h - what the platform files share among themselves; nobody else includes it. */
#ifndef MUSTER_AGENT_PLATFORM_POSIX_H
#define MUSTER_AGENT_PLATFORM_POSIX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "agent/platform/platform.h"

/* Opens what is a regular file, or a device of which `is_disk` says that I/O may go to it. Other
 * kinds are never opened: a fifo would block, a terminal or watchdog would act. A last symbolic
 * link is followed to a device only. Descriptors are close-on-exec and blocking. On failure errno
 * of the open is kept, or 0 when the kind was the reason. */
int posix_open(const char *path, int flags, bool (*is_disk)(const struct stat *st), int *fd,
	       struct error *err);
/* The same by a name in an open directory; `path` is for the texts. */
int posix_open_at(int directory, const char *name, const char *path, int flags,
		  bool (*is_disk)(const struct stat *st), int *fd, struct error *err);

/* platform_open_directory() component by component, and its text. */
int posix_open_directory(const char *path, int *fd, struct error *err);
int posix_cannot_open_directory(const char *path, struct error *err);

/* A list of reasons with limited room: one that says `never` takes the place of one that does not.
 * The same text is kept once. */
struct use_list {
	struct platform_use *uses;
	int count, most;
};
void use_add(struct use_list *list, bool never, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool use_has_never(const struct use_list *list);

/* RLIMIT_CORE at 0, for good. */
void posix_forbid_cores(void);

/* platform_clocks() of a system whose timers run on clock_now_ns(), without slew and rate. */
void posix_clocks(struct platform_clocks *clocks);

/* Copies what fits and ends with NUL; answers whether all did. */
bool posix_copy(char *into, size_t size, const char *text);

#endif
