#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/cpuset.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pthread_np.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"

static uint32_t cpus(void)
{
	cpuset_t set;

	CPU_ZERO(&set);
	if (cpuset_getaffinity(CPU_LEVEL_WHICH, CPU_WHICH_PID, -1, sizeof(set), &set) == 0)
		return (uint32_t)CPU_COUNT(&set);
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}

/* Newer systems have a number of the boot, 16 bytes and no text; before, the moment of it, which a
 * step of the clock moves. */
static void name_boot(struct platform_facts *facts, const char *host)
{
	unsigned char number[16];
	struct timeval booted;
	size_t size = sizeof(number);

	if (sysctlbyname("kern.boot_id", number, &size, NULL, 0) == 0 && size == sizeof(number)) {
		for (size_t i = 0; i < sizeof(number); i++)
			snprintf(facts->boot_id + 2 * i, 3, "%02x", number[i]);
		return;
	}
	size = sizeof(booted);
	if (sysctlbyname("kern.boottime", &booted, &size, NULL, 0) == 0)
		snprintf(facts->boot_id, sizeof(facts->boot_id), "%.40s-%lld", host,
			 (long long)booted.tv_sec);
}

void platform_facts(struct platform_facts *facts)
{
	struct utsname name;
	unsigned long memory = 0;
	size_t size = sizeof(memory);
	struct timespec up;

	memset(facts, 0, sizeof(*facts));
	memset(&name, 0, sizeof(name));
	if (uname(&name) == 0) {
		posix_copy(facts->system, sizeof(facts->system), name.sysname);
		posix_copy(facts->kernel, sizeof(facts->kernel), name.release);
		posix_copy(facts->hostname, sizeof(facts->hostname), name.nodename);
	}
	if (sysctlbyname("hw.physmem", &memory, &size, NULL, 0) == 0)
		facts->memory_bytes = memory;
	if (clock_gettime(CLOCK_UPTIME, &up) == 0)
		facts->uptime_s = (uint64_t)up.tv_sec;
	name_boot(facts, name.nodename);
	facts->cpus = cpus();
	int jailed = 0;
	size = sizeof(jailed);
	if (sysctlbyname("security.jail.jailed", &jailed, &size, NULL, 0) == 0 && jailed)
		posix_copy(facts->container, sizeof(facts->container), "jail");
}

/* ru_inblock counts I/Os, not bytes, and with DIRECTIO not even those. */
bool platform_process_io(uint64_t *read_bytes, uint64_t *written_bytes)
{
	*read_bytes = 0;
	*written_bytes = 0;
	return false;
}

int platform_open(const char *path, bool write, bool direct, int *fd, struct error *err)
{
	return posix_open(path, (write ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0), geom_is_disk,
			  fd, err);
}

static bool is_none(const struct stat *st)
{
	(void)st;
	return false;
}

int platform_open_file(int directory, const char *name, const char *path, bool write, bool direct,
		       int *fd, struct error *err)
{
	return posix_open_at(directory, name, path,
			     (write ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0), is_none, fd,
			     err);
}

/* O_RESOLVE_BENEATH does not refuse links. */
int platform_open_directory(const char *path, int *fd, struct error *err)
{
	return posix_open_directory(path, fd, err);
}

/* GEOM refuses to open for writing what is mounted, mirrored, encrypted or in a pool; O_EXCL it
 * does not know. So this is the second line of defence, after platform_device_use. */
int platform_open_exclusive(const char *path, bool direct, int *fd, struct error *err)
{
	if (posix_open(path, O_RDWR | O_EXCL | (direct ? O_DIRECT : 0), geom_is_disk, fd, err) == 0)
		return 0;
	if (errno == EPERM || errno == EBUSY)
		error_set(err, ERROR_REFUSED,
			  "cannot open '%s' for writing: something on this host holds it", path);
	return -1;
}

int platform_write_in_place(int fd, const char *path, struct error *err)
{
	(void)fd;
	error_set(err, ERROR_REFUSED,
		  "'%s' cannot be made nodatacow: that is of btrfs, and FreeBSD has none: leave "
		  "nodatacow out",
		  path);
	return -1;
}

/* ZFS says EINVAL. */
int platform_allocate(int fd, uint64_t offset, uint64_t length)
{
	int failed = posix_fallocate(fd, (off_t)offset, (off_t)length);

	return failed == ENOSPC || failed == EDQUOT ? failed : 0;
}

/* -1 where the file system does not know. */
uint64_t platform_born_ns(int directory, const char *name)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_birthtim.tv_sec <= 0)
		return 0;
	return (uint64_t)st.st_birthtim.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)st.st_birthtim.tv_nsec;
}

ssize_t platform_readv(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	return preadv(fd, vector, count, (off_t)offset);
}

ssize_t platform_writev(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	return pwritev(fd, vector, count, (off_t)offset);
}

/* fsync of a disk flushes no cache there. One that has none to flush answers EOPNOTSUPP. */
int platform_sync(int fd, bool data_alone)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode)) {
		if (ioctl(fd, DIOCGFLUSH) == 0)
			return 0;
		if (errno != EOPNOTSUPP)
			return -1;
	}
	return data_alone ? fdatasync(fd) : fsync(fd);
}

/* The kernel promotes to superpages by itself. */
void *platform_large_buffer(size_t alignment, size_t size)
{
	return platform_buffer(alignment, size);
}

void platform_thread_name(const char *name)
{
	pthread_set_name_np(pthread_self(), name);
}
