/* What an open file or device really does with direct I/O, and whether it is memory. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/platform/linux_cow.h"
#include "agent/platform/linux_mounts.h"
#include "agent/platform/linux_ram.h"
#include "agent/platform/linux_sysfs.h"
#include "agent/platform/posix.h"

/* Headers before Linux 6.1, and glibc's own, have no names for these: this is the kernel's layout
 * (struct statx, 256 bytes), which is fixed. */
#define ASK_DIRECT UINT32_C(0x2000) /* STATX_DIOALIGN */
struct direct_answer {
	uint32_t mask;
	uint8_t unused[0x98 - 4];
	uint32_t memory_alignment, offset_alignment;
	uint8_t rest[256 - 0xa0];
};
_Static_assert(sizeof(struct direct_answer) == 256, "the kernel writes 256 bytes");

/* False where the kernel, or the file system, does not know; 0 and 0: direct I/O has no effect. */
static bool ask_direct(int fd, struct direct_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	return syscall(SYS_statx, fd, "", AT_EMPTY_PATH, ASK_DIRECT, answer) == 0 &&
	       (answer->mask & ASK_DIRECT) != 0;
}

static void set_direct(struct platform_storage *storage, enum platform_direct direct,
		       const char *reason)
{
	storage->direct = direct;
	posix_copy(storage->direct_reason, sizeof(storage->direct_reason), reason);
}

static bool plausible(uint32_t alignment)
{
	return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= 1U << 30;
}

/* Sector size of the disk that a file system is on; 0: unknown. */
static uint32_t sector_bytes(dev_t device)
{
	char name[PLATFORM_DEVICE_NAME], disk[PLATFORM_DEVICE_NAME];
	uint64_t bytes;

	if (major(device) == 0 || !sysfs_name(device, name))
		return 0;
	if (!sysfs_disk(name, disk))
		posix_copy(disk, sizeof(disk), name);
	if (!sysfs_number(&bytes, "/sys/class/block/%s/queue/logical_block_size", disk) ||
	    bytes > 1 << 20)
		return 0;
	return (uint32_t)bytes;
}

static int device_storage(int fd, const char *path, struct platform_storage *storage,
			  struct error *err)
{
	struct direct_answer answer;
	char name[PLATFORM_DEVICE_NAME];
	int sector = 0;

	if (ioctl(fd, BLKGETSIZE64, &storage->size_bytes) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot ask the size of '%s': %s", path,
			  strerror(errno));
		return -1;
	}
	if (ioctl(fd, BLKSSZGET, &sector) == 0 && plausible((uint32_t)sector))
		storage->alignment_bytes = (uint32_t)sector;
	storage->memory_alignment_bytes = storage->alignment_bytes ? storage->alignment_bytes : 512;
	if (ask_direct(fd, &answer) && plausible(answer.memory_alignment) &&
	    plausible(answer.offset_alignment)) {
		storage->memory_alignment_bytes = answer.memory_alignment;
		storage->alignment_bytes = answer.offset_alignment;
	}
	/* The page cache is passed by, but ZFS has one of its own beneath its volumes. */
	if (sysfs_name(storage->device_id, name) && strncmp(name, "zd", 2) == 0)
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "a ZFS volume is served by ZFS's own cache (ARC), direct or not");
	return 0;
}

/* What is known of file systems that the kernel tells nothing about: old kernels tell nothing of
 * any. */
static const struct {
	const char *type;
	enum platform_direct direct;
	uint32_t alignment;
	const char *reason;
} known[] = {
	{"xfs", PLATFORM_DIRECT_YES, 0, ""},
	{"ext4", PLATFORM_DIRECT_YES, 0, ""},
	{"ext3", PLATFORM_DIRECT_YES, 0, ""},
	{"ext2", PLATFORM_DIRECT_YES, 0, ""},
	{"f2fs", PLATFORM_DIRECT_YES, 0, ""},
	{"jfs", PLATFORM_DIRECT_YES, 0, ""},
	{"gfs2", PLATFORM_DIRECT_YES, 0, ""},
	{"ocfs2", PLATFORM_DIRECT_YES, 0, ""},
	/* Past this host's cache; the server's own is beyond what can be asked. */
	{"nfs", PLATFORM_DIRECT_YES, 1, ""},
	{"nfs4", PLATFORM_DIRECT_YES, 1, ""},
	{"btrfs", PLATFORM_DIRECT_WRITTEN_THROUGH, 4096,
	 "btrfs accepts O_DIRECT and writes through memory: data with checksums are copied first, "
	 "misaligned I/O is buffered silently"},
	{"zfs", PLATFORM_DIRECT_NO, 4096,
	 "this ZFS accepts O_DIRECT and ignores it (2.2 and before): set primarycache=metadata, or "
	 "a size of more than twice the ARC"},
	{"tmpfs", PLATFORM_DIRECT_NO, 4096, "tmpfs accepts O_DIRECT, but is memory itself"},
	{"ramfs", PLATFORM_DIRECT_NO, 4096, "ramfs is memory itself"},
	{"overlay", PLATFORM_DIRECT_NO, 4096,
	 "overlay hands O_DIRECT to the file system beneath, which does not say what it does: use "
	 "a file system of its own (a volume)"},
	{"virtiofs", PLATFORM_DIRECT_NO, 4096,
	 "virtiofs hands O_DIRECT to the machine outside, which need not honour it"},
	{"9p", PLATFORM_DIRECT_NO, 4096, "9p hands O_DIRECT to a server, which need not honour it"},
};

/* The names mountinfo has: "fuse.zfs-fuse", "fuseblk" and so on are all a daemon's. */
static bool is_fuse(const char *type)
{
	return strncmp(type, "fuse", 4) == 0 &&
	       (type[4] == '\0' || type[4] == '.' || strcmp(type, "fuseblk") == 0);
}

static void from_known(struct platform_storage *storage, const struct stat *st)
{
	uint32_t alignment = 0;

	set_direct(storage, PLATFORM_DIRECT_NO,
		   "nothing says that this file system honours O_DIRECT");
	if (is_fuse(storage->file_system))
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "fuse hands O_DIRECT to its daemon, which need not honour it");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].type, storage->file_system) != 0)
			continue;
		set_direct(storage, known[i].direct, known[i].reason);
		alignment = known[i].alignment;
	}
	if (alignment == 0)
		alignment = sector_bytes(st->st_dev);
	if (alignment == 0 && plausible((uint32_t)st->st_blksize))
		alignment = (uint32_t)st->st_blksize;
	storage->alignment_bytes = alignment;
	storage->memory_alignment_bytes = alignment ? alignment : 1;
}

/* Real direct I/O on btrfs is in its own sectors, and of files without checksums. */
static void ask_btrfs(int fd, struct platform_storage *storage)
{
	struct btrfs_ioctl_fs_info_args info;

	memset(&info, 0, sizeof(info));
	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) < 0 || !plausible(info.sectorsize))
		return;
	storage->alignment_bytes = info.sectorsize;
	storage->memory_alignment_bytes = info.sectorsize;
	if (linux_cow_is_in_place(fd))
		set_direct(storage, PLATFORM_DIRECT_YES, "");
}

static bool has_option(const char *options, const char *option)
{
	size_t length = strlen(option);

	for (const char *at = options; (at = strstr(at, option)); at += length)
		if ((at == options || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
			return true;
	return false;
}

static void from_answer(struct platform_storage *storage, const struct direct_answer *answer)
{
	if (!plausible(answer->memory_alignment) || !plausible(answer->offset_alignment)) {
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "the file system says that it has no direct I/O for this file "
			   "(encryption, verity, compression or data journalling)");
		return;
	}
	set_direct(storage, PLATFORM_DIRECT_YES, "");
	storage->alignment_bytes = answer->offset_alignment;
	storage->memory_alignment_bytes = answer->memory_alignment;
}

static void file_storage(int fd, const struct stat *st, const struct mount *mount,
			 struct platform_storage *storage)
{
	struct direct_answer answer;
	bool answered = ask_direct(fd, &answer);

	posix_copy(storage->file_system, sizeof(storage->file_system),
		   mount ? mount->type : "unknown");
	from_known(storage, st);
	if (strcmp(storage->file_system, "btrfs") == 0)
		ask_btrfs(fd, storage); /* whatever it should come to answer */
	else if (answered)
		from_answer(storage, &answer);
	else if (mount && has_option(mount->options, "data=journal"))
		set_direct(storage, PLATFORM_DIRECT_NO,
			   "mounted with data=journal: O_DIRECT falls back to memory silently");
}

static int ask_file(int fd, const struct stat *st, struct platform_storage *storage,
		    struct error *err)
{
	struct mounts mounts;

	if (mounts_read(&mounts, err) < 0)
		return -1;
	file_storage(fd, st, mounts_find(&mounts, fd), storage);
	mounts_release(&mounts);
	return 0;
}

/* Asked where there is nothing to read: the answer is the kernel's before it looks for data. */
static bool waits(int fd)
{
	static char nowhere[4096] __attribute__((aligned(4096)));
	struct iovec vector = {nowhere, sizeof(nowhere)};

	return preadv2(fd, &vector, 1, (off_t)1 << 60, RWF_NOWAIT) < 0 && errno == EOPNOTSUPP;
}

/* What its I/O goes to first decides; mappings pass polling on and say so themselves. */
static void find_polling(int fd, struct platform_storage *storage)
{
	enum { MOST = 64 };
	struct platform_device devices[MOST];
	char disk[PLATFORM_DEVICE_NAME];
	uint32_t count = platform_devices(fd, devices, MOST);

	if (!count)
		posix_copy(storage->no_poll_reason, sizeof(storage->no_poll_reason),
			   "which device it is on is not known");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t polls = 0;
		if (devices[i].under[0])
			continue;
		if (!sysfs_disk(devices[i].device, disk))
			posix_copy(disk, sizeof(disk), devices[i].device);
		if (!sysfs_number(&polls, "/sys/class/block/%s/queue/io_poll", disk) || !polls)
			snprintf(storage->no_poll_reason, sizeof(storage->no_poll_reason),
				 "%.40s has no polling queues (queue/io_poll is not 1; NVMe has "
				 "some "
				 "with nvme.poll_queues)",
				 disk);
	}
}

int platform_storage(int fd, const char *path, struct platform_storage *storage, struct error *err)
{
	char name[PLATFORM_DEVICE_NAME];
	struct stat st;

	*storage = (struct platform_storage){.memory_alignment_bytes = 1};
	if (fstat(fd, &st) < 0) {
		error_set(err, ERROR_SYSTEM, "cannot stat '%s': %s", path, strerror(errno));
		return -1;
	}
	storage->device = S_ISBLK(st.st_mode);
	storage->device_id = storage->device ? st.st_rdev : st.st_dev;
	storage->no_topology = major(storage->device_id) && !sysfs_name(storage->device_id, name);
	int failed = storage->device ? device_storage(fd, path, storage, err)
				     : ask_file(fd, &st, storage, err);
	storage->waits = waits(fd);
	find_polling(fd, storage);
	storage->ram = ram_find(fd, storage->ram_reason, sizeof(storage->ram_reason));
	return failed;
}
