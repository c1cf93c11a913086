/* What arms a device: of one that names no hardware, and of a partition, not the next one that
 * comes to its number. Trees of sysfs are made under a root of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/platform/linux_identity.h"
#include "tests/unit/sysfs_tree.h"

#define DISK "/sys/devices/x/vdx"
#define PART "/sys/devices/x/vdx/vdx2"

static void require_identity(const char *name, const char *want)
{
	char identity[PLATFORM_IDENTITY_SIZE];

	if (identity_of(name, identity) != (want[0] != '\0') || strcmp(identity, want) != 0)
		fail_msg("%s: '%s', not '%s'", name, identity, want);
}

static void boot(const char *id)
{
	make_folder("/proc/sys/kernel/random");
	write_file("/proc/sys/kernel/random", "boot_id", id);
}

/* Numbers are given out anew at each boot, in the order in which disks are found. */
static void a_sequence_number_is_of_one_boot(void **state)
{
	(void)state;
	add_device("vdx", NULL, "1073741824", false, false);
	write_file(DISK, "diskseq", "9");
	require_identity("vdx", ""); /* which boot is not known */
	boot("1a2b3c4d-ffff-4fff-8fff-ffffffffffff");
	require_identity("vdx", "vdx:diskseq:9:1a2b3c4d");
	boot("5e6f7081-ffff-4fff-8fff-ffffffffffff");
	require_identity("vdx", "vdx:diskseq:9:5e6f7081");
	write_file(DISK, "diskseq", "0");
	require_identity("vdx", "");
	write_file(DISK, "serial", "QM00001");
	require_identity("vdx", "serial:QM00001");
}

static void a_partition_is_where_it_lies(void **state)
{
	(void)state;
	add_device("vdx", NULL, "1073741824", false, false);
	write_file(DISK, "wwid", "naa.600508b1001c0000");
	add_device("vdx2", "vdx", "8388608", false, false);
	require_identity("vdx2", ""); /* where it begins is not known */
	write_file(PART, "start", "2048");
	require_identity("vdx2", "wwn:naa.600508b1001c0000-part2:1048576+8388608");
	write_file(PART, "start", "4096");
	require_identity("vdx2", "wwn:naa.600508b1001c0000-part2:2097152+8388608");
	write_file(PART, "size", "8192");
	require_identity("vdx2", "wwn:naa.600508b1001c0000-part2:2097152+4194304");
	require_identity("vdx", "wwn:naa.600508b1001c0000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sequence_number_is_of_one_boot),
		TEST(a_partition_is_where_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
