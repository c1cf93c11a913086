#include "agent/platform/posix_signature.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/posix_partitions.h"
#include "agent/platform/posix_zfs_label.h"
#include "common/memory.h"

/* What is looked at: that much from the start, and from the end. */
#define WINDOW 1048576

/* Where a mark is: bytes from the start, or before the end, or in the last sector (GEOM). */
enum place { PLACE_START, PLACE_END, PLACE_LAST_SECTOR };

static const struct mark {
	const char *what;
	enum place place;
	uint32_t offset;
	uint32_t length;
	const char *bytes;
	bool member; /* of something larger, or swap: never to be overwritten */
} marks[] = {
	{"a GEOM stripe", PLACE_LAST_SECTOR, 0, 12, "GEOM::STRIPE", true},
	{"a GEOM mirror", PLACE_LAST_SECTOR, 0, 12, "GEOM::MIRROR", true},
	{"a GEOM concatenation", PLACE_LAST_SECTOR, 0, 12, "GEOM::CONCAT", true},
	{"a GEOM RAID3", PLACE_LAST_SECTOR, 0, 11, "GEOM::RAID3", true},
	{"a GEOM secret share", PLACE_LAST_SECTOR, 0, 11, "GEOM::SHSEC", true},
	{"a GEOM journal", PLACE_LAST_SECTOR, 0, 13, "GEOM::JOURNAL", true},
	{"a GEOM virtual storage", PLACE_LAST_SECTOR, 0, 13, "GEOM::VIRSTOR", true},
	{"a GEOM cache", PLACE_LAST_SECTOR, 0, 11, "GEOM::CACHE", true},
	{"a GEOM multipath", PLACE_LAST_SECTOR, 0, 15, "GEOM::MULTIPATH", true},
	{"geli encryption", PLACE_LAST_SECTOR, 0, 9, "GEOM::ELI", true},
	{"a GEOM label", PLACE_LAST_SECTOR, 0, 11, "GEOM::LABEL", false},
	{"LVM2", PLACE_START, 0, 8, "LABELONE", true},
	{"LVM2", PLACE_START, 512, 8, "LABELONE", true},
	{"LVM2", PLACE_START, 1024, 8, "LABELONE", true},
	{"LVM2", PLACE_START, 1536, 8, "LABELONE", true},
	{"Linux md", PLACE_START, 0, 4, "\xfc\x4e\x2b\xa9", true},
	{"Linux md", PLACE_START, 4096, 4, "\xfc\x4e\x2b\xa9", true},
	{"LUKS encryption", PLACE_START, 0, 6, "LUKS\xba\xbe", true},
	{"swap", PLACE_START, 4086, 10, "SWAPSPACE2", true},
	{"swap", PLACE_START, 8182, 10, "SWAPSPACE2", true},
	{"swap", PLACE_START, 65526, 10, "SWAPSPACE2", true},
	{"Intel RAID", PLACE_END, 1024, 24, "Intel Raid ISM Cfg Sig. ", true},
	{"DDF RAID", PLACE_LAST_SECTOR, 0, 4, "\xde\x11\xde\x11", true},
	{"UFS2", PLACE_START, 65536 + 1372, 4, "\x19\x01\x54\x19", false},
	{"UFS2", PLACE_START, 65536 + 1372, 4, "\x19\x54\x01\x19", false},
	{"UFS", PLACE_START, 8192 + 1372, 4, "\x54\x19\x01\x00", false},
	{"UFS", PLACE_START, 8192 + 1372, 4, "\x00\x01\x19\x54", false},
	{"XFS", PLACE_START, 0, 4, "XFSB", false},
	{"ext2, ext3 or ext4", PLACE_START, 1080, 2, "\x53\xef", false},
	{"btrfs", PLACE_START, 0x10040, 8, "_BHRfS_M", false},
	{"NTFS", PLACE_START, 3, 8, "NTFS    ", false},
	{"FAT", PLACE_START, 54, 3, "FAT", false},
	{"FAT", PLACE_START, 82, 5, "FAT32", false},
	{"ISO 9660", PLACE_START, 32769, 5, "CD001", false},
	{"a partition table (MBR)", PLACE_START, 510, 2, "\x55\xaa", false},
	{"a partition table (GPT)", PLACE_START, 512, 8, "EFI PART", false},
	{"a partition table (GPT)", PLACE_START, 4096, 8, "EFI PART", false},
	{"a partition table (GPT)", PLACE_LAST_SECTOR, 0, 8, "EFI PART", false},
	{"a partition table (Solaris)", PLACE_START, 508, 2, "\xda\xbe", false},
	{"a partition table (Solaris)", PLACE_START, 512 + 12, 4, "\xee\xde\x0d\x60", false},
	{"a partition table (BSD)", PLACE_START, 512, 4, "\x57\x45\x56\x82", false},
};

struct windows {
	unsigned char *start, *end; /* `length` bytes each; the same when the device is small */
	uint64_t length, size, sector;
};

/* The bytes of a mark's place; NULL when the device is too small to have it. */
static const unsigned char *at(const struct windows *windows, const struct mark *mark)
{
	uint64_t offset = mark->offset;

	if (mark->place == PLACE_START)
		return offset + mark->length <= windows->length ? windows->start + offset : NULL;
	if (mark->place == PLACE_LAST_SECTOR)
		offset = windows->sector;
	if (offset > windows->length || mark->length > offset)
		return NULL;
	return windows->end + (windows->length - offset);
}

static bool has_at(const struct windows *windows, uint64_t offset, const char magic[4])
{
	uint64_t before_end = windows->size - offset;

	return before_end <= windows->length &&
	       memcmp(windows->end + windows->length - before_end, magic, 4) == 0;
}

/* Two of md's formats stand near the end: 0.90 in the last whole 64 KiB but one, in the byte order
 * of the machine, and 1.0 at least 8 KiB before the end, at a multiple of 4 KiB. */
static bool has_md_at_end(const struct windows *windows)
{
	uint64_t old = windows->size / 65536 * 65536, sectors = windows->size / 512;

	if (old >= 2 * 65536 && (has_at(windows, old - 65536, "\xfc\x4e\x2b\xa9") ||
				 has_at(windows, old - 65536, "\xa9\x2b\x4e\xfc")))
		return true;
	return sectors >= 32 && has_at(windows, (sectors - 16) / 8 * 8 * 512, "\xfc\x4e\x2b\xa9");
}

/* One of several devices: the number of them is at 0x88 of the superblock. */
static bool is_btrfs_of_many(const struct windows *windows, const struct mark *mark)
{
	static const unsigned char one[8] = {1};

	return strcmp(mark->what, "btrfs") == 0 && windows->length >= 0x10090 &&
	       memcmp(windows->start + 0x10088, one, sizeof(one)) != 0;
}

static void add_mark(struct use_list *list, const char *name, const char *what, bool member)
{
	if (member)
		use_add(list, true, "%s carries the mark of %s: a member or swap, also when idle",
			name, what);
	else
		use_add(list, false, "%s carries %s", name, what);
}

static void add_marks(struct use_list *list, const struct windows *windows, const char *name)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *mark = &marks[i];
		const unsigned char *found = at(windows, mark);
		if (found && memcmp(found, mark->bytes, mark->length) == 0)
			add_mark(list, name, mark->what,
				 mark->member || is_btrfs_of_many(windows, mark));
	}
	if (has_md_at_end(windows))
		add_mark(list, name, "Linux md", true);
}

static int read_whole(int fd, unsigned char *into, uint64_t length, uint64_t offset)
{
	for (uint64_t have = 0; have < length;) {
		ssize_t got = pread(fd, into + have, length - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0)
			return -1;
		have += (uint64_t)got;
	}
	return 0;
}

static int cannot_read(const char *name, struct error *err)
{
	error_set(err, ERROR_SYSTEM, "cannot look for signatures on %s: %s", name, strerror(errno));
	return -1;
}

/* A device, or a part of it. */
struct extent {
	int fd;
	uint64_t offset, size, sector;
	const char *name;
};

/* For one window of so many bytes, or of what is in them. */
static size_t room(uint64_t size)
{
	return (size_t)((size < WINDOW ? size : WINDOW) + 4095) / 4096 * 4096;
}

/* Into memory of two windows. */
static int add_extent(struct use_list *list, const struct extent *extent, unsigned char *memory,
		      struct error *err)
{
	uint64_t sector = extent->sector, size = extent->size - extent->size % sector;
	uint64_t length = size < WINDOW ? size : WINDOW - WINDOW % sector;
	struct windows windows = {memory, memory + room(length), length, size, sector};
	int zfs = 0;

	if (read_whole(extent->fd, windows.start, length, extent->offset) < 0 ||
	    read_whole(extent->fd, windows.end, length, extent->offset + size - length) < 0 ||
	    (zfs = zfs_label_find(extent->fd, extent->offset, size)) < 0)
		return cannot_read(extent->name, err);
	add_marks(list, &windows, extent->name);
	if (zfs)
		add_mark(list, extent->name, "a ZFS pool ('zpool labelclear' if it is free)", true);
	return 0;
}

/* Of what is in a partition only that counts which is never to be overwritten: what else is there
 * goes with the table. */
static int add_partition(struct use_list *list, const struct extent *whole,
			 const struct partition *part, unsigned char *memory, struct error *err)
{
	struct platform_use uses[4];
	struct use_list inside = {.uses = uses, .most = 4};
	char name[128];
	struct extent extent = {whole->fd, part->offset, part->size, whole->sector, name};

	snprintf(name, sizeof(name), "the partition at byte %" PRIu64 " of %s", part->offset,
		 whole->name);
	if (add_extent(&inside, &extent, memory, err) < 0)
		return -1;
	for (int i = 0; i < inside.count; i++)
		if (uses[i].never)
			use_add(list, true, "%s", uses[i].text);
	return 0;
}

static int add_partitions(struct use_list *list, const struct extent *whole, unsigned char *memory,
			  struct error *err)
{
	struct partitions *partitions = mem_new(1, sizeof(*partitions));
	int failed = 0;

	if (partitions_find(partitions, whole->fd, whole->size, (uint32_t)whole->sector) < 0)
		failed = cannot_read(whole->name, err);
	for (uint32_t i = 0; i < partitions->count && !failed; i++)
		failed = add_partition(list, whole, &partitions->parts[i], memory, err);
	if (partitions->left_out)
		use_add(list, true, "%s has more than %u partitions, more than are looked into",
			whole->name, PARTITIONS_MOST);
	free(partitions);
	return failed;
}

int marks_add(struct use_list *list, int fd, uint64_t size_bytes, uint32_t sector_bytes,
	      const char *name, struct error *err)
{
	const struct extent whole = {fd, 0, size_bytes, sector_bytes ? sector_bytes : 512, name};
	unsigned char *memory = platform_buffer(4096, 2 * room(size_bytes));

	if (!memory) {
		errno = ENOMEM;
		return cannot_read(name, err);
	}
	int failed = add_extent(list, &whole, memory, err);
	if (!failed)
		failed = add_partitions(list, &whole, memory, err);
	free(memory);
	return failed;
}
