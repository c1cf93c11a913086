#include "agent/platform/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

bool posix_copy(char *into, size_t size, const char *text)
{
	size_t length = strnlen(text, size);

	if (length == size) {
		memcpy(into, text, size - 1);
		into[size - 1] = '\0';
		return false;
	}
	memcpy(into, text, length + 1);
	return true;
}

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * UINT64_C(1000000000) + (uint64_t)t->tv_usec * 1000;
}

uint64_t platform_cpu_ns(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0;
	return timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
}

int platform_space(int directory, const char *path, uint64_t *free_bytes, uint64_t *free_files,
		   struct error *err)
{
	struct statvfs space;

	if (fstatvfs(directory, &space) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask how much space '%s' has: %s", path,
			  strerror(errno));
		return -1;
	}
	uint64_t unit = space.f_frsize ? space.f_frsize : space.f_bsize;
	uint64_t blocks = space.f_bavail;
	*free_bytes = unit && blocks > UINT64_MAX / unit ? UINT64_MAX : blocks * unit;
	/* btrfs, ZFS over NFS and others have no table of inodes and say 0 of 0. */
	*free_files = space.f_files ? space.f_favail : UINT64_MAX;
	return 0;
}

void *platform_buffer(size_t alignment, size_t size)
{
	void *buffer = NULL;

	if (alignment < sizeof(void *))
		alignment = sizeof(void *);
	return posix_memalign(&buffer, alignment, size ? size : alignment) == 0 ? buffer : NULL;
}

static const char *kind_name(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a fifo";
	if (S_ISSOCK(mode))
		return "a socket";
	if (S_ISLNK(mode))
		return "a symbolic link";
	if (S_ISBLK(mode))
		return "a block device that is not a disk";
	if (S_ISCHR(mode))
		return "a character device that is not a disk";
	return "neither a file nor a device";
}

static int refuse_kind(const char *path, mode_t mode, struct error *err)
{
	error_set(err, ERROR_REFUSED, "'%s' is %s, wanted is a regular file or a disk device", path,
		  kind_name(mode));
	errno = 0;
	return -1;
}

static int cannot_open(const char *path, struct error *err)
{
	int saved = errno;

	error_set(err, ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(saved));
	errno = saved;
	return -1;
}

/* Looks before it opens, since opening some devices already does something. */
static int look(int directory, const char *name, const char *path,
		bool (*is_disk)(const struct stat *st), int *flags, struct error *err)
{
	struct stat st, link;

	if (fstatat(directory, name, &st, 0) < 0 ||
	    fstatat(directory, name, &link, AT_SYMLINK_NOFOLLOW) < 0)
		return cannot_open(path, err);
	if (is_disk(&st))
		return 0;
	if (S_ISLNK(link.st_mode) || !S_ISREG(st.st_mode))
		return refuse_kind(path, link.st_mode, err);
	*flags |= O_NOFOLLOW;
	return 0;
}

/* FreeBSD asks the device as well, and its disks answer ENOTTY: they wait in either mode. */
static int make_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -1;
	return fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 && errno != ENOTTY ? -1 : 0;
}

int posix_open_at(int directory, const char *name, const char *path, int flags,
		  bool (*is_disk)(const struct stat *st), int *fd, struct error *err)
{
	struct stat st;

	if (look(directory, name, path, is_disk, &flags, err) < 0)
		return -1;
	/* Not to hang on a fifo that has taken the file's place; cleared again below, since
	 * io_uring would answer EAGAIN. */
	int opened = openat(directory, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (opened < 0)
		return cannot_open(path, err);
	if (fstat(opened, &st) < 0 || make_blocking(opened) < 0) {
		cannot_open(path, err);
		goto out;
	}
	if (!S_ISREG(st.st_mode) && !is_disk(&st)) {
		refuse_kind(path, st.st_mode, err);
		goto out;
	}
	*fd = opened;
	return 0;
out:;
	int saved = errno;
	close(opened);
	errno = saved;
	return -1;
}

int posix_open(const char *path, int flags, bool (*is_disk)(const struct stat *st), int *fd,
	       struct error *err)
{
	return posix_open_at(AT_FDCWD, path, path, flags, is_disk, fd, err);
}

bool use_has_never(const struct use_list *list)
{
	for (int i = 0; i < list->count; i++)
		if (list->uses[i].never)
			return true;
	return false;
}

/* Where a new reason goes: the end, or over one that weighs less; NULL when there is no room. */
static struct platform_use *use_slot(struct use_list *list, bool never)
{
	if (list->count < list->most)
		return &list->uses[list->count++];
	for (int i = 0; never && i < list->count; i++)
		if (!list->uses[i].never)
			return &list->uses[i];
	return NULL;
}

void use_add(struct use_list *list, bool never, const char *format, ...)
{
	struct platform_use use = {.never = never};
	va_list args;

	va_start(args, format);
	vsnprintf(use.text, sizeof(use.text), format, args);
	va_end(args);
	for (int i = 0; i < list->count; i++) {
		if (strcmp(list->uses[i].text, use.text) == 0) {
			list->uses[i].never |= never;
			return;
		}
	}
	struct platform_use *slot = use_slot(list, never);
	if (slot)
		*slot = use;
}

void platform_openers_release(struct platform_openers *openers)
{
	free(openers->list);
	*openers = (struct platform_openers){0};
}

void platform_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void posix_forbid_cores(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
}
