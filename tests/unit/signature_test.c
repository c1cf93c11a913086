/* The marks on a device, written by hand where each system puts them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/platform/posix_signature.h"
#include "agent/platform/posix_zfs_label.h"

#define SIZE ((int64_t)8 << 20)

static int fd;

static int fresh(void **state)
{
	(void)state;
	return ftruncate(fd, 0) == 0 && ftruncate(fd, SIZE) == 0 ? 0 : -1;
}

static void put(int64_t offset, const char *bytes, size_t length)
{
	assert_int_equal(pwrite(fd, bytes, length, (off_t)offset), (ssize_t)length);
}

static int ask(struct platform_use uses[8], uint64_t size, uint32_t sector)
{
	struct use_list list = {.uses = uses, .most = 8};
	struct error err;

	if (marks_add(&list, fd, size, sector, "da0", &err) < 0)
		fail_msg("%s", err.text);
	return list.count;
}

static const struct row {
	int64_t offset; /* below 0: from the end */
	const char *bytes;
	size_t length;
	uint32_t sector;
	const char *want;
	bool never;
} rows[] = {
	{-512, "GEOM::STRIPE", 12, 512, "GEOM stripe", true},
	{-4096, "GEOM::MIRROR", 12, 4096, "GEOM mirror", true},
	{-512, "GEOM::ELI\0\0\0\0\0\0", 16, 512, "geli", true},
	{512, "LABELONE", 8, 512, "LVM2", true},
	{4096, "\xfc\x4e\x2b\xa9", 4, 512, "Linux md", true},
	{-65536, "\xfc\x4e\x2b\xa9", 4, 512, "Linux md", true},
	{-8192, "\xfc\x4e\x2b\xa9", 4, 512, "Linux md", true},
	{0, "LUKS\xba\xbe", 6, 512, "LUKS", true},
	{4086, "SWAPSPACE2", 10, 512, "swap", true},
	{131072, "\x0c\xb1\xba\0\0\0\0\0", 8, 512, "ZFS", true},
	{-262144 + 131072 + 1024, "\0\0\0\0\0\xba\xb1\x0c", 8, 512, "ZFS", true},
	{65536 + 1372, "\x19\x01\x54\x19", 4, 512, "UFS2", false},
	{0, "XFSB", 4, 512, "XFS", false},
	{1080, "\x53\xef", 2, 512, "ext4", false},
	{510, "\x55\xaa", 2, 512, "MBR", false},
	{-512, "EFI PART", 8, 512, "GPT", false},
	{65536, "\x01\x16\x19\x70\0\0\0\1", 8, 512, "GFS2", true},
	{8, "OracleCFS", 9, 512, "OCFS", true},
	{1024, "OCFSV2", 6, 512, "OCFS2", true},
	{8192, "OCFSV2", 6, 4096, "OCFS2", true},
	{1 << 20, "\x0d\xd0\x01\xc0", 4, 512, "VMFS", true},
	{2 << 20, "\x5e\xf1\xab\x2f", 4, 4096, "VMFS", true},
	{0x10040, "_BHRfS_M", 8, 512, "btrfs", true}, /* of 0 devices: not one alone */
};

static void every_mark_is_found_alone(void **state)
{
	struct platform_use uses[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		assert_int_equal(fresh(state), 0);
		put(row->offset < 0 ? SIZE + row->offset : row->offset, row->bytes, row->length);
		int count = ask(uses, SIZE, row->sector);
		if (count != 1 || !strstr(uses[0].text, row->want) || uses[0].never != row->never)
			fail_msg("%s: %d reasons: %s", row->want, count, count ? uses[0].text : "");
	}
}

static void a_lone_btrfs_is_a_file_system(void **state)
{
	struct platform_use uses[8];

	(void)state;
	put(0x10040, "_BHRfS_M", 8);
	put(0x10088, "\1", 1);
	assert_int_equal(ask(uses, SIZE, 512), 1);
	assert_false(uses[0].never);
}

/* ext4 with blocks of 4 KiB, whose block 40 tells who has it mounted. */
static void put_protected(const char *sequence)
{
	put(1024 + 0x18, "\2\0\0\0", 4);
	put(1024 + 0x38, "\x53\xef", 2);
	put(1024 + 0x60, "\0\1\0\0", 4);
	put(1024 + 0x168, "\x28\0\0\0\0\0\0\0", 8);
	put(40 * 4096, "PMM\0", 4);
	put(40 * 4096 + 4, sequence, 4);
}

static void ext4_that_a_host_has_mounted_is_not_to_be_overwritten(void **state)
{
	static const struct {
		const char *sequence;
		bool never;
	} sequences[] = {{"\x50\x4d\x4d\xff", false}, /* clean */
			 {"\x50\x4d\x4d\xe2", true},  /* fsck is at it */
			 {"\x39\x30\0\0", true},      /* counted on by who has it mounted */
			 {"\0\0\0\0", true}};
	struct platform_use uses[8];
	bool never;

	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		for (uint32_t sector = 512; sector <= 8192; sector *= 4) {
			assert_int_equal(fresh(state), 0);
			put_protected(sequences[i].sequence);
			never = false;
			for (int k = ask(uses, SIZE, sector); k-- > 0;)
				never |= uses[k].never && strstr(uses[k].text, "protection");
			if (never != sequences[i].never)
				fail_msg("sequence %zu, sectors of %u", i, sector);
		}
}

static void nothing_is_found_on_zeros_of_any_size(void **state)
{
	static const uint64_t sizes[] = {0, 512, 4096, 65536, 131072, 1048576, 1049088, SIZE};
	struct platform_use uses[8];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(ask(uses, sizes[i], 512), 0);
}

static void a_device_shorter_than_it_says_is_an_error(void **state)
{
	struct platform_use uses[8];
	struct use_list list = {.uses = uses, .most = 8};
	struct error err;

	(void)state;
	assert_int_equal(marks_add(&list, fd, SIZE * 2, 512, "da0", &err), -1);
	assert_non_null(strstr(err.text, "da0"));
}

static void labels_are_looked_for_from_the_offset_on(void **state)
{
	(void)state;
	put((1 << 20) + 131072, "\x0c\xb1\xba\0\0\0\0\0", 8);
	assert_int_equal(zfs_label_find(fd, 1 << 20, 4 << 20), 1);
	assert_int_equal(zfs_label_find(fd, 0, SIZE), 0);
	assert_int_equal(zfs_label_find(-1, 0, SIZE), -1);
}

/* ---- what is in partitions ---- */

static void put_number(int64_t offset, uint64_t value, int bytes)
{
	char text[8];

	for (int i = 0; i < bytes; i++)
		text[i] = (char)(value >> 8 * i);
	put(offset, text, (size_t)bytes);
}

/* A table at sector `at` with its entries behind or before it: [first, last]. */
static void put_gpt(int64_t sector, int64_t at, int64_t entries, uint64_t first, uint64_t last)
{
	put(at * sector, "EFI PART", 8);
	put_number(at * sector + 72, (uint64_t)entries, 8);
	put_number(at * sector + 80, 128, 4);
	put_number(at * sector + 84, 128, 4);
	put(entries * sector + 128, "a type GUID, any", 16); /* the second of the entries */
	put_number(entries * sector + 128 + 32, first, 8);
	put_number(entries * sector + 128 + 40, last, 8);
}

static void put_mbr(int64_t at, int entry, char type, uint64_t first, uint64_t count)
{
	put(at + 510, "\x55\xaa", 2);
	put(at + 446 + entry * 16 + 4, &type, 1);
	put_number(at + 446 + entry * 16 + 8, first, 4);
	put_number(at + 446 + entry * 16 + 12, count, 4);
}

static void put_bsd(int64_t at, uint64_t first, uint64_t count)
{
	put_number(at, 0x82564557, 4);
	put_number(at + 132, 0x82564557, 4);
	put_number(at + 138, 8, 2);
	put_number(at + 148 + 3 * 16, count, 4);
	put_number(at + 148 + 3 * 16 + 4, first, 4);
}

#define MIB 1048576
static const char ring[] = "\x0c\xb1\xba\0\0\0\0\0";

static void make_gpt(void)
{
	put_gpt(512, 1, 2, 4096, 8191);
	put(4 * MIB - 512, "GEOM::ELI", 9);
}

static void make_gpt_4096(void)
{
	put_gpt(4096, 1, 2, 512, 1023);
	put(2 * MIB + 512, "LABELONE", 8);
}

static void make_backup(void)
{
	put_gpt(512, SIZE / 512 - 1, SIZE / 512 - 33, 2048, 8191);
	put(MIB + 512, "LABELONE", 8);
}

static void make_logical(void)
{
	put_mbr(0, 1, 0x0f, 2048, 12288);
	put_mbr(MIB, 0, (char)0x83, 64, 128); /* the first logical one */
	put_mbr(MIB, 1, 0x05, 4096, 8192);    /* the next, from the extended on */
	put_mbr(3 * MIB, 0, (char)0x83, 64, 8000);
	put(3 * MIB + 64 * 512 + 131072, ring, 8);
}

static void make_bsd_in_slice(void)
{
	put_mbr(0, 0, (char)0xa5, 2048, 8192);
	put_bsd(MIB + 512, 16, 4096);
	put(MIB + (16 + 4096) * 512 - 512, "GEOM::MIRROR", 12);
}

static void make_bsd_from_the_begin(void)
{
	put_mbr(0, 0, (char)0xa5, 2048, 8192);
	put_bsd(MIB + 512, 2048 + 16, 4096);
	put(MIB + 16 * 512 + 131072, ring, 8);
}

static void make_vtoc(void)
{
	put_mbr(0, 2, (char)0xbf, 2048, 12288);
	put_number(MIB + 512 + 12, 0x600ddeee, 4);
	put_number(MIB + 512 + 72 + 15 * 12 + 4, 2048, 4);
	put_number(MIB + 512 + 72 + 15 * 12 + 8, 8192, 4);
	put(2 * MIB + 131072, ring, 8);
}

static void make_harmless(void)
{
	put_gpt(512, 1, 2, 4096, 8191);
	put(2 * MIB + 1080, "\x53\xef", 2);
}

/* Of entries that lead nowhere, over the end, and round and round. */
static void make_nonsense(void)
{
	put_gpt(512, 1, 2, UINT64_MAX - 1, UINT64_MAX - 1);
	put_gpt(512, SIZE / 512 - 1, SIZE / 512 - 33, 9, 3);
	put_number(SIZE - 512 + 72, UINT64_MAX / 512, 8);
	put_mbr(0, 0, 0x05, 2048, 0xffffffff);
	put_mbr(0, 1, (char)0x83, 0xffffffff, 0xffffffff);
	put_mbr(MIB, 1, 0x05, 0, 0);
	put_mbr(MIB, 0, 0x05, 2048, 2048);
	put_mbr(2 * MIB, 0, 0x05, 2048, 2048);
	put_bsd(512, 0, 0xffffffff);
}

static void members_in_partitions_are_found(void **state)
{
	static const struct {
		const char *name;
		void (*make)(void);
		uint32_t sector;
		const char *want; /* NULL: nothing that is never to be written to */
	} cases[] = {
		{"GPT", make_gpt, 512, "at byte 2097152 of da0 carries the mark of geli"},
		{"GPT of 4 KiB sectors", make_gpt_4096, 4096, "at byte 2097152 of da0 carries"},
		{"GPT's backup alone", make_backup, 512, "at byte 1048576 of da0 carries"},
		{"logical", make_logical, 512, "at byte 3178496 of da0 carries the mark of a ZFS"},
		{"BSD's in a slice", make_bsd_in_slice, 512, "GEOM mirror"},
		{"BSD's, from the begin", make_bsd_from_the_begin, 512, "ZFS"},
		{"Solaris'", make_vtoc, 512, "at byte 2097152 of da0 carries the mark of a ZFS"},
		{"a file system", make_harmless, 512, NULL},
		{"nonsense", make_nonsense, 512, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct platform_use uses[8];
		const char *found = NULL;
		assert_int_equal(fresh(state), 0);
		cases[i].make();
		int count = ask(uses, SIZE, cases[i].sector);
		assert_true(count > 0);
		for (int k = 0; k < count; k++)
			found = uses[k].never ? uses[k].text : found;
		if (!found != !cases[i].want || (found && !strstr(found, cases[i].want)))
			fail_msg("%s: %s", cases[i].name, found ? found : "nothing found");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_mark_is_found_alone, fresh),
		cmocka_unit_test_setup(a_lone_btrfs_is_a_file_system, fresh),
		cmocka_unit_test_setup(ext4_that_a_host_has_mounted_is_not_to_be_overwritten,
				       fresh),
		cmocka_unit_test_setup(nothing_is_found_on_zeros_of_any_size, fresh),
		cmocka_unit_test_setup(a_device_shorter_than_it_says_is_an_error, fresh),
		cmocka_unit_test_setup(labels_are_looked_for_from_the_offset_on, fresh),
		cmocka_unit_test(members_in_partitions_are_found),
	};
	char path[] = "/tmp/muster-signature-XXXXXX";

	fd = mkstemp(path);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	unlink(path);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
