#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <kstat.h>
#include <stdio.h>
#include <string.h>
#include <sys/fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <zone.h>

#include "agent/platform/posix.h"
#include "agent/platform/sunos_disk.h"

/* Seconds since 1970 at which the kernel started; 0: unknown. */
static uint64_t boot_time(void)
{
	kstat_ctl_t *control = kstat_open();
	uint64_t seconds = 0;

	if (!control)
		return 0;
	kstat_t *entry = kstat_lookup(control, "unix", 0, "system_misc");
	if (entry && kstat_read(control, entry, NULL) >= 0) {
		const kstat_named_t *value = kstat_data_lookup(entry, "boot_time");
		if (value)
			seconds = value->value.ui32;
	}
	kstat_close(control);
	return seconds;
}

void platform_facts(struct platform_facts *facts)
{
	struct utsname name;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	memset(facts, 0, sizeof(*facts));
	memset(&name, 0, sizeof(name));
	if (uname(&name) >= 0) {
		posix_copy(facts->system, sizeof(facts->system), name.sysname);
		snprintf(facts->kernel, sizeof(facts->kernel), "%.40s %.80s", name.release,
			 name.version);
		posix_copy(facts->hostname, sizeof(facts->hostname), name.nodename);
	}
	if (pages > 0 && page > 0)
		facts->memory_bytes = (uint64_t)pages * (uint64_t)page;
	facts->cpus = online > 0 ? (uint32_t)online : 1;
	if (getzoneid() != GLOBAL_ZONEID)
		posix_copy(facts->container, sizeof(facts->container), "zone");
	uint64_t booted = boot_time(), now = (uint64_t)time(NULL);
	if (booted == 0)
		return;
	facts->uptime_s = now > booted ? now - booted : 0;
	snprintf(facts->boot_id, sizeof(facts->boot_id), "%.40s-%llu", facts->hostname,
		 (unsigned long long)booted);
}

bool platform_process_io(uint64_t *read_bytes, uint64_t *written_bytes)
{
	*read_bytes = 0;
	*written_bytes = 0;
	return false;
}

/* Raw devices need nothing; UFS, NFS take directio(), for the file as a whole and everybody. ZFS
 * answers ENOTTY: platform_storage tells of it. */
static int make_direct(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	if (directio(fd, DIRECTIO_ON) == 0)
		return 0;
	error_set(
		err, ERROR_REFUSED,
		"cannot use '%s' directly: its file system has no directio(): use 'direct: false' "
		"or 'direct: prefer'",
		path);
	return -1;
}

int platform_open(const char *path, bool write, bool direct, int *fd, struct error *err)
{
	if (posix_open(path, write ? O_RDWR : O_RDONLY, disk_is_node, fd, err) < 0)
		return -1;
	if (!direct || make_direct(*fd, path, err) == 0)
		return 0;
	close(*fd);
	return -1;
}

static bool is_none(const struct stat *st)
{
	(void)st;
	return false;
}

int platform_open_file(int directory, const char *name, const char *path, bool write, bool direct,
		       int *fd, struct error *err)
{
	if (posix_open_at(directory, name, path, write ? O_RDWR : O_RDONLY, is_none, fd, err) < 0)
		return -1;
	if (!direct || make_direct(*fd, path, err) == 0)
		return 0;
	close(*fd);
	return -1;
}

int platform_open_directory(const char *path, int *fd, struct error *err)
{
	return posix_open_directory(path, fd, err);
}

/* O_EXCL on a raw disk: EBUSY when anything else has the slice open (ZFS, SVM, a mount). */
int platform_open_exclusive(const char *path, bool direct, int *fd, struct error *err)
{
	(void)direct;
	if (posix_open(path, O_RDWR | O_EXCL, disk_is_node, fd, err) == 0)
		return 0;
	if (errno == EBUSY)
		error_set(err, ERROR_REFUSED,
			  "cannot open '%s' for writing: something on this host holds it", path);
	return -1;
}

int platform_write_in_place(int fd, const char *path, struct error *err)
{
	(void)fd;
	error_set(err, ERROR_REFUSED,
		  "'%s' cannot be made nodatacow: that is of btrfs, and illumos has none: leave "
		  "nodatacow out",
		  path);
	return -1;
}

/* UFS would write zeros, ZFS cannot. */
int platform_allocate(int fd, uint64_t offset, uint64_t length)
{
	(void)fd;
	(void)offset;
	(void)length;
	return 0;
}

/* ZFS has it as an extended attribute (crtime), which is not asked for yet. */
uint64_t platform_born_ns(int directory, const char *name)
{
	(void)directory, (void)name;
	return 0;
}

/* There is no preadv() in Solaris 10 and early illumos. An I/O of several pieces is several here,
 * and ends at the first that is short. */
ssize_t platform_readv(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	ssize_t done = 0;

	for (int i = 0; i < count; i++) {
		ssize_t got = pread(fd, vector[i].iov_base, vector[i].iov_len,
				    (off_t)(offset + (uint64_t)done));
		if (got < 0)
			return done ? done : got;
		done += got;
		if ((size_t)got < vector[i].iov_len)
			break;
	}
	return done;
}

ssize_t platform_writev(int fd, const struct iovec *vector, int count, uint64_t offset)
{
	ssize_t done = 0;

	for (int i = 0; i < count; i++) {
		ssize_t put = pwrite(fd, vector[i].iov_base, vector[i].iov_len,
				     (off_t)(offset + (uint64_t)done));
		if (put < 0)
			return done ? done : put;
		done += put;
		if ((size_t)put < vector[i].iov_len)
			break;
	}
	return done;
}

/* Of a raw disk too it flushes the write cache (DKIOCFLUSHWRITECACHE). */
int platform_sync(int fd, bool data_alone)
{
	return data_alone ? fdatasync(fd) : fsync(fd);
}

/* The kernel chooses the size of pages by itself. */
void *platform_large_buffer(size_t alignment, size_t size)
{
	return platform_buffer(alignment, size);
}

void platform_thread_name(const char *name)
{
	(void)name; /* older systems have none */
}
