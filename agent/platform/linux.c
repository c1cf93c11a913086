#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/platform/linux_cgroup.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"

#define LARGE_PAGE  ((size_t)2 << 20)
#define LARGE_WORTH ((size_t)1 << 20)

/* Of all processors, those that this process may run on. */
static uint32_t cpus(void)
{
	for (int most = 1024; most <= 1 << 20; most *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)most);
		if (!set)
			break;
		size_t size = CPU_ALLOC_SIZE((size_t)most);
		int failed = sched_getaffinity(0, size, set);
		int why = errno;
		uint32_t count = failed ? 0 : (uint32_t)CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (!failed)
			return count;
		if (why != EINVAL) /* EINVAL: the kernel has more than fit */
			break;
	}
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}

void platform_facts(struct platform_facts *facts)
{
	struct utsname name;
	struct sysinfo info;

	memset(facts, 0, sizeof(*facts));
	if (uname(&name) == 0) {
		posix_copy(facts->system, sizeof(facts->system), name.sysname);
		posix_copy(facts->kernel, sizeof(facts->kernel), name.release);
		posix_copy(facts->hostname, sizeof(facts->hostname), name.nodename);
	}
	if (sysinfo(&info) == 0) {
		facts->memory_bytes = (uint64_t)info.totalram * info.mem_unit;
		facts->uptime_s = info.uptime > 0 ? (uint64_t)info.uptime : 0;
	}
	sysfs_text(facts->boot_id, sizeof(facts->boot_id), "/proc/sys/kernel/random/boot_id");
	facts->cpus = cpus();
	cgroup_container("", facts->container);
	cgroup_limits("", &facts->limits);
}

bool platform_process_io(uint64_t *read_bytes, uint64_t *written_bytes)
{
	FILE *file = fopen("/proc/self/io", "re");
	char line[128];
	int found = 0;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		found += sscanf(line, "read_bytes: %" SCNu64, read_bytes) == 1;
		found += sscanf(line, "write_bytes: %" SCNu64, written_bytes) == 1;
	}
	fclose(file);
	return found == 2;
}

static bool is_disk(const struct stat *st)
{
	return S_ISBLK(st->st_mode);
}

static int cannot_direct(const char *path, struct error *err)
{
	error_set(err, ERROR_REFUSED,
		  "cannot open '%s' with O_DIRECT: its file system refuses direct I/O: use "
		  "'direct: false' or 'direct: prefer'",
		  path);
	error_code(err, "DIRECT_REFUSED");
	return -1;
}

int platform_open(const char *path, bool write, bool direct, int *fd, struct error *err)
{
	int flags = (write ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0);

	if (posix_open(path, flags, is_disk, fd, err) == 0)
		return 0;
	return direct && errno == EINVAL ? cannot_direct(path, err) : -1;
}

static bool is_none(const struct stat *st)
{
	(void)st;
	return false;
}

int platform_open_file(int directory, const char *name, const char *path, bool write, bool direct,
		       int *fd, struct error *err)
{
	int flags = (write ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0);

	if (posix_open_at(directory, name, path, flags, is_none, fd, err) == 0)
		return 0;
	return direct && errno == EINVAL ? cannot_direct(path, err) : -1;
}

/* Since Linux 5.6; some containers answer EPERM to what they do not know. */
int platform_open_directory(const char *path, int *fd, struct error *err)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	long opened = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (opened < 0 && (errno == ENOSYS || errno == EPERM))
		return posix_open_directory(path, fd, err);
	*fd = (int)opened;
	return opened < 0 ? posix_cannot_open_directory(path, err) : 0;
}

int platform_open_exclusive(const char *path, bool direct, int *fd, struct error *err)
{
	if (posix_open(path, O_RDWR | O_EXCL | (direct ? O_DIRECT : 0), is_disk, fd, err) == 0)
		return 0;
	if (errno == EBUSY) {
		error_set(err, ERROR_REFUSED,
			  "cannot open '%s' for writing: something on this host holds it", path);
		error_code(err, "TARGET_IN_USE");
	}
	return -1;
}

/* Since Linux 4.11. */
uint64_t platform_born_ns(int directory, const char *name)
{
	struct statx answer;

	if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &answer) < 0 ||
	    !(answer.stx_mask & STATX_BTIME) || answer.stx_btime.tv_sec < 0)
		return 0;
	return (uint64_t)answer.stx_btime.tv_sec * UINT64_C(1000000000) + answer.stx_btime.tv_nsec;
}

/* The plain calls spare the kernel a list to copy and check: 3 % of a 4 KiB read on zram. */
ssize_t platform_readv(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	if (count == 1)
		return pread(fd, vector->iov_base, vector->iov_len, (off_t)offset);
	return preadv(fd, vector, count, (off_t)offset);
}

ssize_t platform_writev(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	if (count == 1)
		return pwrite(fd, vector->iov_base, vector->iov_len, (off_t)offset);
	return pwritev(fd, vector, count, (off_t)offset);
}

void platform_thread_name(const char *name)
{
	char most[16]; /* with its NUL; a longer one is refused whole */

	posix_copy(most, sizeof(most), name);
	pthread_setname_np(pthread_self(), most);
}

/* diskstats writes cciss/c0d0 where sysfs, and so we, have cciss!c0d0. */
static bool same_device(const char *theirs, const char *ours)
{
	for (; *theirs && *ours; theirs++, ours++)
		if (*theirs != *ours && !(*theirs == '/' && *ours == '!'))
			return false;
	return *theirs == *ours;
}

bool platform_device_bytes(const char *device, uint64_t *read_bytes, uint64_t *written_bytes)
{
	FILE *file = fopen("/proc/diskstats", "re");
	char line[512], name[128];
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		uint64_t sectors_read, sectors_written;
		/* major minor name reads merged SECTORS ms writes merged SECTORS ... */
		if (sscanf(line, "%*u %*u %127s %*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, name,
			   &sectors_read, &sectors_written) != 3 ||
		    !same_device(name, device))
			continue;
		/* A sector here is 512 bytes, whatever the device's own are. */
		*read_bytes = sectors_read * 512;
		*written_bytes = sectors_written * 512;
		found = true;
	}
	fclose(file);
	return found;
}

int platform_sync(int fd, bool data_alone)
{
	return data_alone ? fdatasync(fd) : fsync(fd);
}

/* Only advice: where transparent huge pages are off it is memory like any other. */
void *platform_large_buffer(size_t alignment, size_t size)
{
	if (size < LARGE_WORTH)
		return platform_buffer(alignment, size);
	size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *buffer = platform_buffer(alignment > LARGE_PAGE ? alignment : LARGE_PAGE, size);
	if (buffer)
		madvise(buffer, size, MADV_HUGEPAGE);
	return buffer;
}
