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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_mark_is_found_alone, fresh),
		cmocka_unit_test_setup(a_lone_btrfs_is_a_file_system, fresh),
		cmocka_unit_test_setup(nothing_is_found_on_zeros_of_any_size, fresh),
		cmocka_unit_test_setup(a_device_shorter_than_it_says_is_an_error, fresh),
		cmocka_unit_test_setup(labels_are_looked_for_from_the_offset_on, fresh),
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
