#include "agent/platform/posix_partitions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/platform.h"

#define BUFFER_BYTES    262144 /* a GPT of 2,048 entries */
#define LOGICAL_MOST    128
#define MBR_PROTECTIVE  0xee
#define MBR_ENTRIES_AT  446
#define MBR_SIGNATURE   510
#define GPT_ENTRY_LEAST 128
#define BSD_MAGIC       0x82564557u
#define VTOC_SANITY     0x600ddeeeu

struct disk {
	struct partitions *found;
	int fd;
	uint64_t size, sector;
	unsigned char *buffer;
};

static uint64_t number(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

/* Whole sectors from `offset` on into the buffer: raw disks give nothing less. 1; 0: not all of it
 * is on the disk; -1 with errno. */
static int read_at(const struct disk *disk, uint64_t offset, uint64_t length)
{
	uint64_t whole = (length + disk->sector - 1) / disk->sector * disk->sector;

	if (whole > BUFFER_BYTES || offset > disk->size || whole > disk->size - offset)
		return 0;
	for (uint64_t have = 0; have < whole;) {
		ssize_t got =
			pread(disk->fd, disk->buffer + have, whole - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = EIO;
		if (got <= 0)
			return -1;
		have += (uint64_t)got;
	}
	return 1;
}

/* In sectors from `base` bytes on. What reaches beyond the disk is cut at its end. */
static void add(const struct disk *disk, uint64_t base, uint64_t first, uint64_t count)
{
	struct partitions *found = disk->found;
	uint64_t sectors = disk->size / disk->sector, start = base / disk->sector;

	if (first >= sectors || start >= sectors - first || count == 0)
		return;
	start += first;
	if (count > sectors - start)
		count = sectors - start;
	const struct partition part = {start * disk->sector, count * disk->sector};
	if (count == sectors)
		return;
	for (uint32_t i = 0; i < found->count; i++)
		if (found->parts[i].offset == part.offset && found->parts[i].size == part.size)
			return;
	if (found->count < PARTITIONS_MOST)
		found->parts[found->count++] = part;
	else
		found->left_out++;
}

/* The table whose header stands at `offset`; checksums are not looked at: what is damaged here may
 * be whole in the other table. */
static int find_gpt(const struct disk *disk, uint64_t offset)
{
	int got = read_at(disk, offset, 512);

	if (got <= 0 || memcmp(disk->buffer, "EFI PART", 8) != 0)
		return got < 0 ? -1 : 0;
	uint64_t at = number(disk->buffer + 72, 8), count = number(disk->buffer + 80, 4);
	uint64_t size = number(disk->buffer + 84, 4);
	if (size < GPT_ENTRY_LEAST || size > BUFFER_BYTES || at > disk->size / disk->sector)
		return 0;
	if (count > BUFFER_BYTES / size)
		count = BUFFER_BYTES / size;
	got = read_at(disk, at * disk->sector, count * size);
	for (uint64_t i = 0; got == 1 && i < count; i++) {
		static const unsigned char none[16];
		const unsigned char *entry = disk->buffer + i * size;
		uint64_t first = number(entry + 32, 8), last = number(entry + 40, 8);
		if (memcmp(entry, none, sizeof(none)) != 0 && last >= first && last < UINT64_MAX)
			add(disk, 0, first, last - first + 1);
	}
	return got < 0 ? -1 : 0;
}

static bool is_extended(unsigned type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

/* Each link of the chain has one logical partition, from itself on, and the place of the next, from
 * the extended partition on. */
static int find_logical(const struct disk *disk, uint64_t extended)
{
	uint64_t at = extended;
	int got = 1;

	for (int i = 0; i < LOGICAL_MOST && (got = read_at(disk, at * disk->sector, 512)) == 1;
	     i++) {
		const unsigned char *entries = disk->buffer + MBR_ENTRIES_AT;
		uint64_t next = 0;
		if (number(disk->buffer + MBR_SIGNATURE, 2) != 0xaa55)
			break;
		for (int k = 0; k < 2; k++, entries += 16) {
			if (is_extended(entries[4]))
				next = number(entries + 8, 4);
			else if (entries[4])
				add(disk, at * disk->sector, number(entries + 8, 4),
				    number(entries + 12, 4));
		}
		if (!next)
			break;
		at = extended + next;
	}
	return got < 0 ? -1 : 0;
}

static int find_mbr(const struct disk *disk)
{
	unsigned char table[64];
	int got = read_at(disk, 0, 512);

	if (got <= 0 || number(disk->buffer + MBR_SIGNATURE, 2) != 0xaa55)
		return got < 0 ? -1 : 0;
	memcpy(table, disk->buffer + MBR_ENTRIES_AT, sizeof(table));
	for (const unsigned char *entry = table; entry < table + sizeof(table); entry += 16) {
		uint64_t first = number(entry + 8, 4);
		if (!entry[4] || entry[4] == MBR_PROTECTIVE)
			continue;
		add(disk, 0, first, number(entry + 12, 4));
		if (is_extended(entry[4]) && first && find_logical(disk, first) < 0)
			return -1;
	}
	return 0;
}

/* BSD's and Solaris' labels stand in the second sector of the disk or of a partition. BSD's places
 * are counted from there, or from the begin of the disk: either may be meant. */
static int find_labels(const struct disk *disk, uint64_t base)
{
	int got = read_at(disk, base + disk->sector, 512);
	const unsigned char *label = disk->buffer;

	if (got <= 0)
		return got;
	if (number(label, 4) == BSD_MAGIC && number(label + 132, 4) == BSD_MAGIC) {
		uint64_t count = number(label + 138, 2);
		for (uint64_t i = 0; i < count && i < 22; i++) {
			const unsigned char *entry = label + 148 + i * 16;
			add(disk, base, number(entry + 4, 4), number(entry, 4));
			add(disk, 0, number(entry + 4, 4), number(entry, 4));
		}
	}
	if (number(label + 12, 4) == VTOC_SANITY)
		for (int i = 0; i < 16; i++)
			add(disk, base, number(label + 72 + i * 12 + 4, 4),
			    number(label + 72 + i * 12 + 8, 4));
	return 0;
}

static int find_all(const struct disk *disk)
{
	if (find_gpt(disk, disk->sector) < 0 || find_gpt(disk, disk->size - disk->sector) < 0 ||
	    find_mbr(disk) < 0 || find_labels(disk, 0) < 0)
		return -1;
	/* Those that come while this goes on are looked into as well; there are not many. */
	for (uint32_t i = 0; i < disk->found->count; i++)
		if (find_labels(disk, disk->found->parts[i].offset) < 0)
			return -1;
	return 0;
}

int partitions_find(struct partitions *partitions, int fd, uint64_t size_bytes,
		    uint32_t sector_bytes)
{
	struct disk disk = {.found = partitions,
			    .fd = fd,
			    .sector = sector_bytes >= 512 ? sector_bytes : 512,
			    .buffer = platform_buffer(4096, BUFFER_BYTES)};

	partitions->count = partitions->left_out = 0;
	disk.size = size_bytes - size_bytes % disk.sector;
	if (!disk.buffer) {
		errno = ENOMEM;
		return -1;
	}
	int failed = disk.size ? find_all(&disk) : 0;
	free(disk.buffer);
	return failed;
}
