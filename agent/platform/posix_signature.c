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

/* Where a mark is: bytes from the start, or before the end, or in the last sector (GEOM); far from
 * the start, at the begin of a sector, it is read for itself. */
enum place { PLACE_START, PLACE_END, PLACE_LAST_SECTOR, PLACE_FAR };

/* What bears a mark: a file system of this host's, which may be overwritten; a part of something
 * larger or swap, and what other hosts may have mounted, which may not. */
enum bearer { ALONE, MEMBER, SHARED };

static const struct mark {
	const char *what;
	enum place place;
	uint32_t offset;
	uint32_t length;
	const char *bytes;
	enum bearer bearer;
} marks[] = {
	{"a GEOM stripe", PLACE_LAST_SECTOR, 0, 12, "GEOM::STRIPE", MEMBER},
	{"a GEOM mirror", PLACE_LAST_SECTOR, 0, 12, "GEOM::MIRROR", MEMBER},
	{"a GEOM concatenation", PLACE_LAST_SECTOR, 0, 12, "GEOM::CONCAT", MEMBER},
	{"a GEOM RAID3", PLACE_LAST_SECTOR, 0, 11, "GEOM::RAID3", MEMBER},
	{"a GEOM secret share", PLACE_LAST_SECTOR, 0, 11, "GEOM::SHSEC", MEMBER},
	{"a GEOM journal", PLACE_LAST_SECTOR, 0, 13, "GEOM::JOURNAL", MEMBER},
	{"a GEOM virtual storage", PLACE_LAST_SECTOR, 0, 13, "GEOM::VIRSTOR", MEMBER},
	{"a GEOM cache", PLACE_LAST_SECTOR, 0, 11, "GEOM::CACHE", MEMBER},
	{"a GEOM multipath", PLACE_LAST_SECTOR, 0, 15, "GEOM::MULTIPATH", MEMBER},
	{"geli encryption", PLACE_LAST_SECTOR, 0, 9, "GEOM::ELI", MEMBER},
	{"a GEOM label", PLACE_LAST_SECTOR, 0, 11, "GEOM::LABEL", ALONE},
	{"LVM2", PLACE_START, 0, 8, "LABELONE", MEMBER},
	{"LVM2", PLACE_START, 512, 8, "LABELONE", MEMBER},
	{"LVM2", PLACE_START, 1024, 8, "LABELONE", MEMBER},
	{"LVM2", PLACE_START, 1536, 8, "LABELONE", MEMBER},
	{"Linux md", PLACE_START, 0, 4, "\xfc\x4e\x2b\xa9", MEMBER},
	{"Linux md", PLACE_START, 4096, 4, "\xfc\x4e\x2b\xa9", MEMBER},
	{"LUKS encryption", PLACE_START, 0, 6, "LUKS\xba\xbe", MEMBER},
	{"swap", PLACE_START, 4086, 10, "SWAPSPACE2", MEMBER},
	{"swap", PLACE_START, 8182, 10, "SWAPSPACE2", MEMBER},
	{"swap", PLACE_START, 65526, 10, "SWAPSPACE2", MEMBER},
	{"Intel RAID", PLACE_END, 1024, 24, "Intel Raid ISM Cfg Sig. ", MEMBER},
	{"DDF RAID", PLACE_LAST_SECTOR, 0, 4, "\xde\x11\xde\x11", MEMBER},
	{"GFS2 (or GFS)", PLACE_START, 65536, 8, "\x01\x16\x19\x70\x00\x00\x00\x01", SHARED},
	{"OCFS", PLACE_START, 8, 9, "OracleCFS", SHARED},
	{"OCFS2", PLACE_START, 1024, 6, "OCFSV2", SHARED},
	{"OCFS2", PLACE_START, 2048, 6, "OCFSV2", SHARED},
	{"OCFS2", PLACE_START, 4096, 6, "OCFSV2", SHARED},
	{"OCFS2", PLACE_START, 8192, 6, "OCFSV2", SHARED},
	{"VMFS", PLACE_FAR, 1048576, 4, "\x0d\xd0\x01\xc0", SHARED},
	{"VMFS", PLACE_FAR, 2097152, 4, "\x5e\xf1\xab\x2f", SHARED},
	{"UFS2", PLACE_START, 65536 + 1372, 4, "\x19\x01\x54\x19", ALONE},
	{"UFS2", PLACE_START, 65536 + 1372, 4, "\x19\x54\x01\x19", ALONE},
	{"UFS", PLACE_START, 8192 + 1372, 4, "\x54\x19\x01\x00", ALONE},
	{"UFS", PLACE_START, 8192 + 1372, 4, "\x00\x01\x19\x54", ALONE},
	{"XFS", PLACE_START, 0, 4, "XFSB", ALONE},
	{"ext2, ext3 or ext4", PLACE_START, 1080, 2, "\x53\xef", ALONE},
	{"btrfs", PLACE_START, 0x10040, 8, "_BHRfS_M", ALONE},
	{"NTFS", PLACE_START, 3, 8, "NTFS    ", ALONE},
	{"FAT", PLACE_START, 54, 3, "FAT", ALONE},
	{"FAT", PLACE_START, 82, 5, "FAT32", ALONE},
	{"ISO 9660", PLACE_START, 32769, 5, "CD001", ALONE},
	{"a partition table (MBR)", PLACE_START, 510, 2, "\x55\xaa", ALONE},
	{"a partition table (GPT)", PLACE_START, 512, 8, "EFI PART", ALONE},
	{"a partition table (GPT)", PLACE_START, 4096, 8, "EFI PART", ALONE},
	{"a partition table (GPT)", PLACE_LAST_SECTOR, 0, 8, "EFI PART", ALONE},
	{"a partition table (Solaris)", PLACE_START, 508, 2, "\xda\xbe", ALONE},
	{"a partition table (Solaris)", PLACE_START, 512 + 12, 4, "\xee\xde\x0d\x60", ALONE},
	{"a partition table (BSD)", PLACE_START, 512, 4, "\x57\x45\x56\x82", ALONE},
};

struct windows {
	unsigned char *start, *end; /* `length` bytes each; the same when the device is small */
	uint64_t length, size, sector;
};

/* The bytes of a mark's place; NULL when the device is too small to have it. */
static const unsigned char *at(const struct windows *windows, const struct mark *mark)
{
	uint64_t offset = mark->offset;

	if (mark->place == PLACE_FAR)
		return NULL;
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

static void add_mark(struct use_list *list, const char *name, const char *what, enum bearer bearer)
{
	if (bearer == MEMBER)
		use_add(list, true, "%s carries the mark of %s: a member or swap, also when idle",
			name, what);
	else if (bearer == SHARED)
		use_add(list, true, SHARED_TEXT, name, what);
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
				 is_btrfs_of_many(windows, mark) ? MEMBER : mark->bearer);
	}
	if (has_md_at_end(windows))
		add_mark(list, name, "Linux md", MEMBER);
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

static int add_far_marks(struct use_list *list, const struct extent *extent, unsigned char *memory)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *mark = &marks[i];
		if (mark->place != PLACE_FAR || mark->offset + extent->sector > extent->size)
			continue;
		if (read_whole(extent->fd, memory, extent->sector, extent->offset + mark->offset) <
		    0)
			return -1;
		if (memcmp(memory, mark->bytes, mark->length) == 0)
			add_mark(list, extent->name, mark->what, mark->bearer);
	}
	return 0;
}

static uint64_t little(const unsigned char *bytes, int count)
{
	uint64_t number = 0;

	while (count--)
		number = number << 8 | bytes[count];
	return number;
}

/* Where ext4 keeps who has it mounted (multiple mount protection), with its block's size; false: it
 * does not. The superblock is at 1024. */
static bool find_mmp(const unsigned char *start, uint64_t length, uint64_t *number, uint64_t *block)
{
	const unsigned char *super = start + 1024;
	uint64_t log = length >= 2048 ? little(super + 0x18, 4) : 0;

	if (length < 2048 || memcmp(super + 0x38, "\x53\xef", 2) != 0 ||
	    !(little(super + 0x60, 4) & 0x100) || log > 6)
		return false;
	*block = UINT64_C(1024) << log;
	*number = little(super + 0x168, 8);
	return *number != 0;
}

/* Its sequence number is another one than "clean" while some host has it mounted, or checks it. */
static int add_mmp(struct use_list *list, const struct extent *extent, uint64_t number,
		   uint64_t block, unsigned char *memory)
{
	uint64_t sector = extent->sector, length = block < sector ? sector : block;

	if (number >= extent->size / block || length > room(extent->size))
		return 0;
	uint64_t offset = number * block, skip = offset % sector;
	if (skip + 8 > length || offset - skip + length > extent->size)
		return 0;
	if (read_whole(extent->fd, memory, length, extent->offset + offset - skip) < 0)
		return -1;
	if (little(memory + skip, 4) == 0x004d4d50 && little(memory + skip + 4, 4) != 0xff4d4d50)
		use_add(list, true,
			"%s carries ext4 that a host has mounted, or had when it crashed (multiple "
			"mount protection; 'tune2fs -f -E clear_mmp' if it is free)",
			extent->name);
	return 0;
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
		add_mark(list, extent->name, "a ZFS pool ('zpool labelclear' if it is free)",
			 MEMBER);
	uint64_t number, block;
	bool protected = find_mmp(windows.start, length, &number, &block);
	if (add_far_marks(list, extent, memory) < 0 ||
	    (protected && add_mmp(list, extent, number, block, memory) < 0))
		return cannot_read(extent->name, err);
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
