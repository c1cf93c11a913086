/* What the platform says of files and real loop devices. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/platform/platform.h"
#include "agent/platform/posix.h"
#include "tests/unit/loop_device.h"

static const char *no_devices;

#define NEED_DEVICES()                                                                             \
	do {                                                                                       \
		if (no_devices) {                                                                  \
			print_message("skipped: %s\n", no_devices);                                \
			skip();                                                                    \
		}                                                                                  \
	} while (0)
#define NEED(condition, reason)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_message("skipped: %s\n", reason);                                    \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

static int undo_base;

static int remember(void **state)
{
	(void)state;
	undo_base = undo_count;
	return 0;
}

/* After each test: all that it made, not the folder. */
static int undo_test(void **state)
{
	(void)state;
	if (!undo_to(undo_base))
		return -1;
	return run("rm -rf --one-file-system '%s'/*", test_folder) ? 0 : -1;
}

static int open_it(const char *path)
{
	struct error err;
	int fd = -1;

	if (platform_open(path, false, false, &fd, &err) < 0)
		fail_msg("%s", err.text);
	return fd;
}

static struct platform_storage storage_of(const char *path)
{
	struct platform_storage storage;
	struct error err;
	int fd = open_it(path);

	if (platform_storage(fd, path, &storage, &err) < 0)
		fail_msg("%s", err.text);
	close(fd);
	return storage;
}

static void write_at(const char *path, uint64_t offset, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), (ssize_t)size);
	assert_int_equal(fsync(fd), 0);
	close(fd);
}

/* ---- facts ---- */

static void facts_name_the_host(void **state)
{
	struct platform_facts facts;

	(void)state;
	platform_facts(&facts);
	assert_true(facts.system[0] && facts.kernel[0] && facts.hostname[0] && facts.boot_id[0]);
	assert_true(facts.cpus >= 1);
	assert_true(facts.memory_bytes > 1 << 20);
}

static void an_open_directory_has_space(void **state)
{
	uint64_t bytes, files;
	struct error err;
	int fd;

	(void)state;
	assert_int_equal(platform_open_directory(test_folder, &fd, &err), 0);
	assert_int_equal(platform_space(fd, test_folder, &bytes, &files, &err), 0);
	assert_true(bytes > 0 && files > 0);
	close(fd);
	assert_int_equal(platform_space(fd, "/no/such", &bytes, &files, &err), -1);
	assert_non_null(strstr(err.text, "'/no/such'"));
}

/* By the system's own way and component by component alike. */
static void a_directory_is_not_opened_through_a_link(void **state)
{
	static const struct {
		const char *path, *why;
	} rows[] = {
		{"a/b", NULL},
		{"a//b/", NULL},
		{"a/./b", NULL},
		{"to-a/b", "symbolic link"},
		{"a/to-b", "symbolic link"},
		{"a/gone", "No such file"},
		{"a/file", "Not a directory"},
		{"a/file/b", "Not a directory"},
	};
	int (*const ways[])(const char *, int *, struct error *) = {platform_open_directory,
								    posix_open_directory};

	(void)state;
	assert_true(run("cd '%s' && mkdir -p a/b && touch a/file && ln -s a to-a && ln -s b a/to-b",
			test_folder));
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		char path[512];
		struct error err = {0};
		int fd = -1;
		snprintf(path, sizeof(path), "%s/%s", test_folder, rows[i / 2].path);
		int failed = ways[i % 2](path, &fd, &err);
		if (!failed != !rows[i / 2].why || (failed && !strstr(err.text, rows[i / 2].why)))
			fail_msg("%s, way %zu: %s", path, i % 2, err.text);
		if (!failed)
			close(fd);
	}
	assert_true(run("cd '%s' && rm -r a to-a", test_folder));
}

static void buffers_are_aligned(void **state)
{
	static const size_t alignments[] = {1, 8, 512, 4096, 65536};

	(void)state;
	for (size_t i = 0; i < sizeof(alignments) / sizeof(alignments[0]); i++) {
		void *buffer = platform_buffer(alignments[i], 100);
		assert_non_null(buffer);
		assert_int_equal((uintptr_t)buffer % alignments[i], 0);
		free(buffer);
	}
}

/* ---- opening ---- */

static void what_is_neither_file_nor_disk_is_never_opened(void **state)
{
	char fifo[128], link[128], file[128];
	struct error err;
	int fd;

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", test_folder);
	snprintf(file, sizeof(file), "%s/file", test_folder);
	snprintf(link, sizeof(link), "%s/link", test_folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_true(run("echo a > '%s'; ln -s file '%s'", file, link));
	const struct {
		const char *path, *want;
	} rows[] = {
		{fifo, "is a fifo"},
		{link, "is a symbolic link"},
		{test_folder, "is a directory"},
		{"/dev/null", "is a character device"},
		{"/no/such", "No such file"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (platform_open(rows[i].path, true, false, &fd, &err) == 0)
			fail_msg("opened %s", rows[i].path);
		if (!strstr(err.text, rows[i].want) || !strstr(err.text, rows[i].path))
			fail_msg("%s: %s", rows[i].path, err.text);
	}
	fd = open_it(file);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	close(fd);
	assert_false(run("test -e /no/such"));
}

static void a_link_to_a_device_is_followed(void **state)
{
	char device[64], link[128];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("a", 8, device));
	snprintf(link, sizeof(link), "%s/by-id:0", test_folder);
	assert_int_equal(symlink(device, link), 0);
	struct platform_storage storage = storage_of(link);
	assert_true(storage.device);
	assert_int_equal(storage.size_bytes, 8 << 20);
	assert_int_equal(storage.alignment_bytes, 512);
	assert_int_equal(storage.direct, PLATFORM_DIRECT_YES);
}

/* ---- storage ---- */

static void an_empty_loop_device_has_no_size(void **state)
{
	char device[64];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("none", 8, device));
	/* Kept attached: a free one could be another test's the next moment. */
	assert_true(run("truncate -s 0 '%s/none' && losetup -c '%s'", test_folder, device));
	struct platform_storage storage = storage_of(device);
	assert_true(storage.device);
	assert_int_equal(storage.size_bytes, 0);
}

static void file_systems_say_what_direct_does(void **state)
{
	static const struct {
		const char *type, *make;
		enum platform_direct direct;
		uint32_t alignment;
	} rows[] = {
		{"xfs", "mkfs.xfs -q", PLATFORM_DIRECT_YES, 512},
		{"ext4", "mkfs.ext4 -q", PLATFORM_DIRECT_YES, 512},
		{"btrfs", "mkfs.btrfs -q", PLATFORM_DIRECT_WRITTEN_THROUGH, 4096},
	};

	(void)state;
	NEED_DEVICES();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char device[64], point[128], file[160];
		assert_true(loop_make(rows[i].type, 400, device));
		if (!run("%s '%s'", rows[i].make, device) ||
		    !mount_make(rows[i].make + 5, device, point)) {
			print_message("left out: cannot make %s here\n", rows[i].type);
			continue;
		}
		snprintf(file, sizeof(file), "%s/f", point);
		assert_true(run("echo a > '%s'", file));
		struct platform_storage storage = storage_of(file);
		if (storage.direct != rows[i].direct || storage.ram ||
		    storage.alignment_bytes != rows[i].alignment ||
		    strcmp(storage.file_system, rows[i].type) != 0 ||
		    !storage.direct_reason[0] != (rows[i].direct == PLATFORM_DIRECT_YES))
			fail_msg("%s: direct %d '%s' align %u ram %d type %s", rows[i].type,
				 (int)storage.direct, storage.direct_reason,
				 storage.alignment_bytes, storage.ram, storage.file_system);
	}
}

static void what_ends_in_memory_is_told(void **state)
{
	char point[128], file[192], loop[64], outer[64], inner_file[192];

	(void)state;
	NEED_DEVICES();
	assert_true(mount_make("ram", "-t tmpfs muster-test", point));
	snprintf(file, sizeof(file), "%s/f", point);
	assert_true(run("truncate -s 40M '%s'", file));
	struct platform_storage storage = storage_of(file);
	assert_true(storage.ram);
	assert_int_equal(storage.direct, PLATFORM_DIRECT_NO);
	assert_true(loop_attach(file, 40, "", loop));
	storage = storage_of(loop);
	assert_true(storage.ram);
	assert_non_null(strstr(storage.ram_reason, "tmpfs"));
	/* And a loop over a file of a file system on that loop. */
	char upper[128];
	NEED(run("mkfs.ext4 -q '%s'", loop), "mkfs.ext4 is missing");
	assert_true(mount_make("upper", loop, upper));
	snprintf(inner_file, sizeof(inner_file), "%s/inner", upper);
	assert_true(loop_attach(inner_file, 8, "", outer));
	assert_true(storage_of(inner_file).ram);
	assert_true(storage_of(outer).ram);
	/* A backing file without a name. */
	assert_true(run("rm '%s'", inner_file));
	storage = storage_of(loop);
	assert_true(storage.ram);
}

static void what_ends_on_disk_is_not_memory(void **state)
{
	char device[64], outer[64];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("disk", 8, device));
	assert_false(storage_of(device).ram);
	assert_true(loop_attach(device, 0, "", outer));
	assert_false(storage_of(outer).ram);
}

/* ---- devices and counters ---- */

static void a_file_moves_on_every_device_of_its_btrfs(void **state)
{
	char a[64], b[64], point[128], file[160];
	struct platform_device devices[8];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("a", 200, a) && loop_make("b", 200, b));
	NEED(run("mkfs.btrfs -q -d raid0 -m raid0 '%s' '%s'", a, b) &&
		     mount_make("btrfs", a, point),
	     "no btrfs here");
	snprintf(file, sizeof(file), "%s/f", point);
	assert_true(run("echo a > '%s'", file));
	int fd = open_it(file);
	assert_int_equal(platform_devices(fd, devices, 8), 2);
	assert_int_equal(platform_devices(fd, devices, 1), 1);
	close(fd);
	assert_string_not_equal(devices[0].device, devices[1].device);
	for (int i = 0; i < 2; i++) {
		assert_true(strcmp(devices[i].device, a + 5) == 0 ||
			    strcmp(devices[i].device, b + 5) == 0);
		assert_string_equal(devices[i].under, "");
	}
}

static void a_file_in_memory_has_no_devices(void **state)
{
	char point[128], file[192];
	struct platform_device devices[8];

	(void)state;
	NEED_DEVICES();
	assert_true(mount_make("ram", "-t tmpfs muster-test", point));
	snprintf(file, sizeof(file), "%s/f", point);
	assert_true(run("echo a > '%s'", file));
	int fd = open_it(file);
	assert_int_equal(platform_devices(fd, devices, 8), 0);
	close(fd);
}

static void counters_move_by_what_is_written(void **state)
{
	char device[64];
	uint64_t read_before, read_after, written_before, written_after;
	struct error err;
	int fd;

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("counted", 8, device));
	assert_int_equal(platform_open_exclusive(device, true, &fd, &err), 0);
	void *buffer = platform_buffer(4096, 1 << 20);
	memset(buffer, 7, 1 << 20);
	struct iovec vector[2] = {{buffer, 1 << 19}, {(char *)buffer + (1 << 19), 1 << 19}};
	assert_true(platform_device_bytes(device + 5, &read_before, &written_before));
	assert_int_equal(platform_writev(fd, vector, 2, 1 << 20), 1 << 20);
	assert_int_equal(platform_readv(fd, vector, 1, 1 << 20), 1 << 19);
	assert_true(platform_device_bytes(device + 5, &read_after, &written_after));
	assert_int_equal(written_after - written_before, 1 << 20);
	assert_int_equal(read_after - read_before, 1 << 19);
	free(buffer);
	close(fd);
	assert_false(platform_device_bytes("no-such-disk", &read_before, &written_before));
	assert_false(platform_device_bytes("", &read_before, &written_before));
}

/* ---- partitions ---- */

/* An MBR with one partition of type 0x83, from 1 MiB on. */
static void write_partition_table(const char *device, uint32_t sectors)
{
	unsigned char entry[16] = {[4] = 0x83, [9] = 0x08};

	for (int i = 0; i < 4; i++)
		entry[12 + i] = (unsigned char)(sectors >> (8 * i));
	write_at(device, 446, entry, sizeof(entry));
	write_at(device, 510, "\x55\xaa", 2);
}

/* Tells the kernel of that partition, which it need not read from the table itself. */
static bool add_partition(const char *device, char partition[80])
{
	write_partition_table(device, 16384);
	if (!run("addpart '%s' 1 2048 16384", device))
		return false;
	undo_later("delpart '%s' 1", device);
	snprintf(partition, 80, "%sp1", device);
	return access(partition, F_OK) == 0;
}

static void a_partition_is_its_disks(void **state)
{
	char device[64], partition[80], identity[PLATFORM_IDENTITY_SIZE],
		of_disk[PLATFORM_IDENTITY_SIZE], want[PLATFORM_IDENTITY_SIZE + 32];
	struct platform_device devices[4];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("parted", 16, device));
	NEED(add_partition(device, partition), "loop devices have no partitions here");
	int fd = open_it(partition), disk = open_it(device);
	assert_int_equal(platform_devices(fd, devices, 4), 2);
	assert_string_equal(devices[0].device, partition + 5);
	assert_string_equal(devices[1].device, device + 5);
	assert_string_equal(devices[1].under, partition + 5);
	assert_true(platform_identity(fd, partition, identity));
	assert_true(platform_identity(disk, device, of_disk));
	snprintf(want, sizeof(want), "%s-part1:1048576+8388608", of_disk);
	assert_string_equal(identity, want);
	close(fd);
	close(disk);
}

/* ---- identity ---- */

static void a_loop_device_is_known_by_its_file(void **state)
{
	char device[64], file[128], identity[PLATFORM_IDENTITY_SIZE], want[512];
	struct stat st;

	(void)state;
	NEED_DEVICES();
	snprintf(file, sizeof(file), "%s/back:ing \"file\"", test_folder);
	assert_true(loop_attach(file, 8, "", device));
	assert_int_equal(stat(file, &st), 0);
	int fd = open_it(device);
	assert_true(platform_identity(fd, device, identity));
	close(fd);
	snprintf(want, sizeof(want), "loop:%s:%llu:%llu", file, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	assert_string_equal(identity, want);
	/* What is no device has none. */
	fd = open_it(file);
	assert_false(platform_identity(fd, file, identity));
	assert_string_equal(identity, "");
	close(fd);
}

/* ---- use ---- */

enum then { THEN_NOTHING, THEN_MOUNT, THEN_SWAPON, THEN_HOLD, THEN_READ_ONLY };

static void make_luks(const char *device)
{
	write_at(device, 0, "LUKS\xba\xbe\0\1", 8);
}

static void make_luks_in_partition(const char *device)
{
	write_partition_table(device, 8192);
	write_at(device, 1 << 20, "LUKS\xba\xbe\0\1", 8);
}

/* One uberblock in the very last label, in the other byte order: no more is left of the pool. */
static void make_zfs_end(const char *device)
{
	const uint64_t last_label = (UINT64_C(400) << 20) - 262144;

	write_at(device, last_label + 131072 + 5 * 1024, "\0\0\0\0\0\xba\xb1\x0c", 8);
}

static void make_table(const char *device)
{
	write_partition_table(device, 8192);
}

/* Two file systems: whose it is cannot be said. */
static void make_two(const char *device)
{
	assert_true(run("dd if='%s' of='%s.sb' bs=1024 skip=1 count=1 && mkfs.xfs -qf '%s' && "
			"dd if='%s.sb' of='%s' bs=1024 seek=1 count=1 conv=notrunc; rm -f '%s.sb'",
			device, device, device, device, device, device));
}

static const struct use_row {
	const char *name, *command;
	void (*write)(const char *device);
	enum then then;
	bool never;
	const char *want; /* part of a reason; NULL: there is none */
} use_rows[] = {
	{"empty", NULL, NULL, THEN_NOTHING, false, NULL},
	{"ext4", "mkfs.ext4 -q", NULL, THEN_NOTHING, false, "file system (ext4)"},
	{"xfs", "mkfs.xfs -q", NULL, THEN_NOTHING, false, "file system (xfs)"},
	{"btrfs", "mkfs.btrfs -q", NULL, THEN_NOTHING, false, "file system (btrfs)"},
	{"table", NULL, make_table, THEN_NOTHING, false, "partition table (dos)"},
	{"mounted ext4", "mkfs.ext4 -q", NULL, THEN_MOUNT, true, "is mounted on /"},
	{"mounted xfs", "mkfs.xfs -q", NULL, THEN_MOUNT, true, "is mounted on /"},
	{"mounted btrfs", "mkfs.btrfs -q", NULL, THEN_MOUNT, true, "is mounted on /"},
	{"idle swap", "mkswap", NULL, THEN_NOTHING, true, "signature of swap"},
	{"swap", "mkswap", NULL, THEN_SWAPON, true, "is swap"},
	{"journal", "mke2fs -q -O journal_dev", NULL, THEN_NOTHING, true, "signature of jbd"},
	{"luks", NULL, make_luks, THEN_NOTHING, true, "signature of crypto_LUKS"},
	{"luks in partition", NULL, make_luks_in_partition, THEN_NOTHING, true, "partition 1 of"},
	{"zfs label", NULL, make_zfs_end, THEN_NOTHING, true, "label of a ZFS pool"},
	{"two", "mkfs.ext4 -q", make_two, THEN_NOTHING, true, "signatures of several kinds"},
	{"held", NULL, NULL, THEN_HOLD, true, "is held by something"},
	{"read-only", NULL, NULL, THEN_READ_ONLY, true, "is read-only"},
};

static bool has_use(const struct platform_use *uses, int count, const char *want)
{
	for (int i = 0; i < count; i++)
		if (strstr(uses[i].text, want))
			return true;
	return false;
}

static bool is_never(const struct platform_use *uses, int count)
{
	for (int i = 0; i < count; i++)
		if (uses[i].never)
			return true;
	return false;
}

static int ask_use(const char *device, struct platform_use uses[16])
{
	struct platform_openers openers = {0};
	struct error err;
	int fd = open_it(device);
	int count = platform_device_use(fd, device, &openers, uses, 16, &err);

	platform_openers_release(&openers);
	close(fd);
	if (count < 0)
		fail_msg("%s", err.text);
	return count;
}

/* Brings a fresh device into the state of the row; false when the system cannot. */
static bool bring(const struct use_row *row, const char *device, int *held)
{
	char point[128];

	if (row->command && !run("%s '%s'", row->command, device))
		return false;
	if (row->write)
		row->write(device);
	switch (row->then) {
	case THEN_NOTHING:
		return true;
	case THEN_MOUNT:
		return mount_make("mounted", device, point);
	case THEN_SWAPON:
		if (!run("swapon '%s'", device))
			return false;
		undo_later("swapoff '%s'", device);
		return true;
	case THEN_HOLD:
		*held = open(device, O_RDONLY | O_EXCL | O_CLOEXEC);
		return *held >= 0;
	case THEN_READ_ONLY:
		undo_later("blockdev --setrw '%s'", device); /* it would outlive the file */
		return run("blockdev --setro '%s'", device);
	}
	return false;
}

static void check_use(const struct use_row *row)
{
	struct platform_use uses[16];
	char device[64];
	int held = -1;

	assert_true(loop_make("used", 400, device));
	if (!bring(row, device, &held)) {
		print_message("left out: %s cannot be made here\n", row->name);
		return;
	}
	int count = ask_use(device, uses);
	if (held >= 0)
		close(held);
	bool wanted = row->want ? has_use(uses, count, row->want) : count == 0;
	if (!wanted || is_never(uses, count) != row->never) {
		for (int i = 0; i < count; i++)
			print_message("%d %s\n", uses[i].never, uses[i].text);
		fail_msg("%s: wanted '%s', never %d", row->name, row->want ? row->want : "nothing",
			 row->never);
	}
}

static void what_holds_a_device_is_told(void **state)
{
	NEED_DEVICES();
	for (size_t i = 0; i < sizeof(use_rows) / sizeof(use_rows[0]); i++) {
		check_use(&use_rows[i]);
		assert_int_equal(undo_test(state), 0);
	}
}

static void members_of_a_btrfs_are_never_free(void **state)
{
	char a[64], b[64], point[128];
	struct platform_use uses[16];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("a", 200, a) && loop_make("b", 200, b));
	NEED(run("mkfs.btrfs -q -d raid0 -m raid0 '%s' '%s'", a, b), "no btrfs here");
	assert_true(is_never(uses, ask_use(b, uses)));
	NEED(mount_make("btrfs", a, point), "cannot mount btrfs here");
	/* The second is no mount's source. */
	int count = ask_use(b, uses);
	assert_true(has_use(uses, count, "mounted btrfs"));
}

static void a_disk_with_a_mounted_partition_is_in_use(void **state)
{
	char device[64], partition[80], point[128];
	struct platform_use uses[16];

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("parted", 16, device));
	NEED(add_partition(device, partition), "loop devices have no partitions here");
	NEED(run("mkfs.ext4 -q '%s'", partition) && mount_make("part", partition, point),
	     "no ext4 here");
	assert_true(has_use(uses, ask_use(device, uses), "is mounted on"));
	assert_true(has_use(uses, ask_use(partition, uses), "is mounted on"));
	struct error err;
	int fd;
	assert_int_equal(platform_open_exclusive(device, true, &fd, &err), -1);
	assert_int_equal(err.kind, ERROR_REFUSED);
}

/* Of loop devices the kernel says nowhere that they have the same bytes. */
static void what_shares_bytes_with_a_mounted_loop_device_is_in_use(void **state)
{
	char mounted[64], other[64], above[64], free_one[64], file[128], point[128];
	struct platform_use uses[16];

	(void)state;
	NEED_DEVICES();
	snprintf(file, sizeof(file), "%s/shared", test_folder);
	assert_true(loop_make("shared", 16, mounted) && loop_attach(file, 0, "", other));
	assert_true(loop_attach(mounted, 0, "", above) && loop_make("apart", 16, free_one));
	NEED(run("mkfs.ext4 -q '%s'", mounted), "no ext4 here");
	assert_false(is_never(uses, ask_use(other, uses)));
	NEED(mount_make("shares", mounted, point), "no ext4 here");
	assert_true(has_use(uses, ask_use(other, uses), "is mounted on"));
	assert_true(has_use(uses, ask_use(above, uses), "is mounted on"));
	assert_int_equal(ask_use(free_one, uses), 0);
	undo_to(undo_count - 1);
	NEED(mount_make("shares-again", above, point), "no ext4 here");
	assert_true(has_use(uses, ask_use(mounted, uses), "is mounted on"));
	undo_to(undo_count - 1);
	int held = open(mounted, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(held >= 0);
	assert_true(has_use(uses, ask_use(other, uses), "is held by something"));
	assert_true(has_use(uses, ask_use(above, uses), "is held by something"));
	close(held);
	assert_false(is_never(uses, ask_use(other, uses)));
}

/* A process that has the device open until it is let go of; `name` is what it is called. */
static pid_t open_elsewhere(const char *device, int flags, const char *name, int *let_go)
{
	int ready[2], go[2];
	char byte;

	assert_true(pipe(ready) == 0 && pipe(go) == 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(go[1]);
		prctl(PR_SET_NAME, name);
		/* More than once, which is one reason. */
		if (open(device, flags) < 0 || open(device, flags) < 0 ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		_exit(read(go[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(go[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*let_go = go[1];
	return child;
}

static void end_elsewhere(pid_t child, int let_go)
{
	int status;

	close(let_go);
	assert_true(waitpid(child, &status, 0) == child && status == 0);
}

/* As virtual machines and databases do, without O_EXCL. */
static void what_another_process_writes_to_is_in_use(void **state)
{
	static const struct {
		int flags;
		bool in_use;
	} rows[] = {{O_RDWR, true}, {O_WRONLY, true}, {O_RDONLY, false}, {O_PATH, false}};
	char device[64], other[64], above[64], free_one[64], file[128], want[128];
	struct platform_use uses[16];
	int let_go;

	(void)state;
	NEED_DEVICES();
	snprintf(file, sizeof(file), "%s/open", test_folder);
	assert_true(loop_make("open", 16, device) && loop_attach(file, 0, "", other));
	assert_true(loop_attach(device, 0, "", above) && loop_make("apart", 16, free_one));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		pid_t child = open_elsewhere(device, rows[i].flags, "qemu\xff\"VM", &let_go);
		snprintf(want, sizeof(want), "%s is open for writing in qemu?\"VM (pid %d)",
			 device + 5, (int)child);
		assert_int_equal(ask_use(device, uses), rows[i].in_use ? 1 : 0);
		assert_true(!rows[i].in_use || (uses[0].never && !strcmp(uses[0].text, want)));
		assert_int_equal(is_never(uses, ask_use(other, uses)), rows[i].in_use);
		assert_int_equal(is_never(uses, ask_use(above, uses)), rows[i].in_use);
		assert_int_equal(ask_use(free_one, uses), 0);
		end_elsewhere(child, let_go);
	}
	int own = open(device, O_RDWR | O_CLOEXEC);
	assert_true(own >= 0);
	assert_int_equal(ask_use(device, uses), 0);
	close(own);
}

static void a_partition_is_in_use_where_its_disk_is_written_to(void **state)
{
	char device[64], partition[80];
	struct platform_use uses[16];
	int let_go;

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("parted", 16, device));
	NEED(add_partition(device, partition), "loop devices have no partitions here");
	pid_t first = open_elsewhere(device, O_RDWR, "first", &let_go), second;
	assert_true(has_use(uses, ask_use(partition, uses), "the whole disk"));
	assert_true(has_use(uses, ask_use(partition, uses), "is open for writing in first"));
	int let_second_go;
	second = open_elsewhere(device, O_RDWR, "second", &let_second_go);
	assert_true(has_use(uses, ask_use(device, uses), ") and 1 more process"));
	end_elsewhere(second, let_second_go);
	end_elsewhere(first, let_go);
	first = open_elsewhere(partition, O_RDWR, "first", &let_go);
	assert_true(has_use(uses, ask_use(device, uses), "partition"));
	assert_true(has_use(uses, ask_use(device, uses), "is open for writing in first"));
	end_elsewhere(first, let_go);
}

/* Runs in a child whose mounts are its own, where nothing but /dev/null is at `hidden`: answers
 * whether asking about the device then fails with the words. */
static bool cannot_ask(const char *device, const char *hidden, const char *words)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct platform_use uses[16];
		struct error err = {0};
		int fd = open(device, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || unshare(CLONE_NEWNS) < 0 ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		    mount("/dev/null", hidden, NULL, MS_BIND, NULL) < 0)
			_exit(77);
		int count = platform_device_use(fd, device, NULL, uses, 16, &err);
		if (count < 0 && strstr(err.text, words))
			_exit(0);
		fprintf(stderr, "%d reasons, not '%s': %s\n", count, words, err.text);
		_exit(1);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	NEED(WEXITSTATUS(status) != 77, "no mount namespaces here");
	return WEXITSTATUS(status) == 0;
}

/* A service with few devices, a container: the other device is there and does not open. */
static void what_cannot_be_asked_is_not_free(void **state)
{
	char held_one[64], other[64], linked[64], above[64], over[64], file[128], link[128],
		words[128];
	struct platform_use uses[16];

	(void)state;
	NEED_DEVICES();
	snprintf(file, sizeof(file), "%s/asked", test_folder);
	snprintf(link, sizeof(link), "%s/link", test_folder);
	assert_true(loop_make("asked", 16, held_one) && loop_attach(file, 0, "", other));
	assert_true(run("ln '%s' '%s'", file, link) && loop_attach(link, 0, "", linked));
	assert_true(loop_make("beneath", 16, over) && loop_attach(over, 0, "", above));
	assert_int_equal(ask_use(other, uses), 0);
	snprintf(words, sizeof(words), "cannot ask who holds %s, which", held_one + 5);
	assert_true(cannot_ask(other, held_one, words));
	assert_true(cannot_ask(linked, held_one, words));
	snprintf(words, sizeof(words), "cannot ask who holds %s, which", above + 5);
	assert_true(cannot_ask(over, above, words));
	assert_true(cannot_ask(other, "/proc/swaps", "/proc/swaps"));
}

static void asking_writes_nothing(void **state)
{
	char device[64];
	struct platform_use uses[16];
	uint64_t ignored, before, after;

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("quiet", 400, device));
	NEED(run("mkfs.ext4 -q '%s' && sync", device), "mkfs.ext4 is missing");
	assert_true(platform_device_bytes(device + 5, &ignored, &before));
	assert_true(ask_use(device, uses) > 0);
	assert_true(platform_device_bytes(device + 5, &ignored, &after));
	assert_int_equal(before, after);
}

static void a_reason_that_weighs_more_finds_room(void **state)
{
	char device[64], point[128];
	struct platform_use use;
	struct error err;

	(void)state;
	NEED_DEVICES();
	assert_true(loop_make("full", 400, device));
	NEED(run("mkfs.ext4 -q '%s'", device) && mount_make("m", device, point), "no ext4 here");
	int fd = open_it(device);
	assert_int_equal(platform_device_use(fd, device, NULL, &use, 1, &err), 1);
	close(fd);
	assert_true(use.never);
}

static void a_file_cannot_be_asked_who_holds_it(void **state)
{
	char file[128];
	struct platform_use use;
	struct error err;

	(void)state;
	snprintf(file, sizeof(file), "%s/f", test_folder);
	assert_true(run("echo a > '%s'", file));
	int fd = open_it(file);
	assert_int_equal(platform_device_use(fd, file, NULL, &use, 1, &err), -1);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, remember, undo_test)

/* Neither by the limit nor past it, and what the process may read of itself stays. */
static void no_core_is_left(void **state)
{
	const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit limit;
	int status;

	(void)state;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && setrlimit(RLIMIT_CORE, &most) != 0)
			_exit(1);
		platform_forbid_cores();
		if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur || limit.rlim_max)
			_exit(2);
		if (geteuid() == 0 && prctl(PR_GET_DUMPABLE) != 0)
			_exit(3);
		_exit(platform_process_io(&(uint64_t){0}, &(uint64_t){0}) ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facts_name_the_host),
		TEST(no_core_is_left),
		TEST(an_open_directory_has_space),
		TEST(a_directory_is_not_opened_through_a_link),
		TEST(buffers_are_aligned),
		TEST(what_is_neither_file_nor_disk_is_never_opened),
		TEST(a_link_to_a_device_is_followed),
		TEST(an_empty_loop_device_has_no_size),
		TEST(file_systems_say_what_direct_does),
		TEST(what_ends_in_memory_is_told),
		TEST(what_ends_on_disk_is_not_memory),
		TEST(a_file_moves_on_every_device_of_its_btrfs),
		TEST(a_file_in_memory_has_no_devices),
		TEST(counters_move_by_what_is_written),
		TEST(a_partition_is_its_disks),
		TEST(a_loop_device_is_known_by_its_file),
		TEST(what_holds_a_device_is_told),
		TEST(members_of_a_btrfs_are_never_free),
		TEST(a_disk_with_a_mounted_partition_is_in_use),
		TEST(what_shares_bytes_with_a_mounted_loop_device_is_in_use),
		TEST(what_another_process_writes_to_is_in_use),
		TEST(a_partition_is_in_use_where_its_disk_is_written_to),
		TEST(what_cannot_be_asked_is_not_free),
		TEST(asking_writes_nothing),
		TEST(a_reason_that_weighs_more_finds_room),
		TEST(a_file_cannot_be_asked_who_holds_it),
	};

	test_folder_make();
	no_devices = no_loop_devices();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
