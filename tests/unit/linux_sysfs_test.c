/* Which block devices there are, and which of them is what of another: as sysfs says, never by
 * their names. Trees are made under a root of our own; MUSTER_CASES may name more devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/platform/linux_sysfs.h"
#include "common/memory.h"
#include "tests/unit/sysfs_tree.h"

static void what_has_nothing_to_read_is_told_from_what_has(void **state)
{
	static const struct {
		const char *name, *size;
		bool hidden, removable;
		enum platform_lack want;
	} rows[] = {
		{"sdb", "1000204886016", false, false, PLATFORM_LACK_NOTHING},
		{"sdb1", "512", false, false, PLATFORM_LACK_NOTHING},
		{"ida!c0d1", "36700160000", false, false, PLATFORM_LACK_NOTHING},
		{"nvme3n2", "3840755982336", false, false, PLATFORM_LACK_NOTHING},
		{"nvme3c1n2", "3840755982336", true, false, PLATFORM_LACK_NODE},
		{"nvme3c2n2", "0", true, false, PLATFORM_LACK_NODE},
		{"sdd", "0", false, true, PLATFORM_LACK_MEDIUM},
		{"sde", "31914983424", false, true, PLATFORM_LACK_NOTHING},
		{"loop3", "0", false, false, PLATFORM_LACK_SIZE},
		{"nbd0", "0", false, false, PLATFORM_LACK_SIZE},
		{"huge0", "1152921504606846976", false, false, PLATFORM_LACK_NOTHING},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		add_device(rows[i].name, NULL, rows[i].size, rows[i].hidden, rows[i].removable);
		if (sysfs_lack(rows[i].name) != rows[i].want)
			fail_msg("%s: %d", rows[i].name, (int)sysfs_lack(rows[i].name));
	}
	assert_int_equal(sysfs_lack("sdz"), PLATFORM_LACK_NOTHING); /* it is not known */
	assert_int_equal(platform_device_lack("/dev/nvme3c1n2"), PLATFORM_LACK_NODE);
	assert_int_equal(platform_device_lack("/dev/ida/c0d1"), PLATFORM_LACK_NOTHING);
	assert_int_equal(platform_device_lack("/elsewhere/nvme3c1n2"), PLATFORM_LACK_NOTHING);
}

static void a_partition_is_of_the_disk_that_it_lies_in(void **state)
{
	static const struct {
		const char *name, *disk; /* NULL: it is whole */
	} rows[] = {
		{"sdb", NULL},          {"sdb3", "sdb"},           {"sdab", NULL},
		{"sdab3", "sdab"},      {"ida!c0d1", NULL},        {"ida!c0d1p2", "ida!c0d1"},
		{"nvme3n2", NULL},      {"nvme3n2p10", "nvme3n2"}, {"mmcblk1", NULL},
		{"mmcblk1boot0", NULL}, {"md126", NULL},           {"md126p1", "md126"},
		{"dm-7", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add_device(rows[i].name, rows[i].disk, "1048576", false, false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char disk[PLATFORM_DEVICE_NAME] = "";
		bool found = sysfs_disk(rows[i].name, disk);
		if (found != (rows[i].disk != NULL) || (found && strcmp(disk, rows[i].disk) != 0))
			fail_msg("%s: of '%s'", rows[i].name, found ? disk : "none");
	}
}

/* Counters have a '/' where sysfs has a '!'. */
static void without_sysfs_the_counters_know_a_name(void **state)
{
	char name[PLATFORM_DEVICE_NAME] = "";

	(void)state;
	make_folder("/proc");
	write_file("/proc", "diskstats",
		   "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
		   " 253       4 dm-4 1 2 3 4 5 6 7 8 9 10 11\n"
		   " 104       0 cciss/c1d0 1 2 3 4 5 6 7 8 9 10 11");
	assert_false(sysfs_name(makedev(253, 4), name));
	assert_true(sysfs_counted(makedev(253, 4), name));
	assert_string_equal(name, "dm-4");
	assert_true(sysfs_counted(makedev(104, 0), name));
	assert_string_equal(name, "cciss!c1d0");
	assert_false(sysfs_counted(makedev(8, 1), name));
}

/* ---- other people's ---- */

static const char *text_of(enum platform_lack lack)
{
	static const char *const texts[] = {[PLATFORM_LACK_NOTHING] = "",
					    [PLATFORM_LACK_NODE] = "HIDDEN",
					    [PLATFORM_LACK_MEDIUM] = "NO_MEDIUM",
					    [PLATFORM_LACK_SIZE] = "ZERO_SIZE"};

	return texts[lack];
}

/* Names, sizes and flags are of the table; what is skipped, and why, is of the answers. */
static void devices_of_other_people_are_told_apart(void **state)
{
	const char *cases = getenv("MUSTER_CASES");
	char line[256], name[64], node[64], size[32];
	static char answers[1 << 20];
	unsigned hidden, removable, seen = 0;

	(void)state;
	if (!cases) {
		print_message("skipped: MUSTER_CASES names no directory\n");
		skip();
	}
	char *path = mem_format("%s/expected.json", cases);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	answers[fread(answers, 1, sizeof(answers) - 1, file)] = '\0';
	fclose(file);
	free(path);
	char *skipped = strstr(answers, "\"skipped\"");
	assert_non_null(skipped);
	*strchr(skipped, '}') = '\0';
	path = mem_format("%s/data/MC-61-device-zoo/sys-block.csv", cases);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file)); /* its header */
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^,],%63[^,],%u,%31[^,],%u", name, node, &hidden, size,
			   &removable) != 5)
			assert_int_equal(sscanf(line, "%63[^,],,%u,%31[^,],%u", name, &hidden, size,
						&removable),
					 4);
		add_device(name, NULL, size, hidden, removable);
		char *quoted = mem_format("\"%s\": \"", name);
		const char *at = strstr(skipped, quoted);
		char *want = at ? mem_format("%.*s", (int)strcspn(at + strlen(quoted), "\""),
					     at + strlen(quoted))
				: mem_text("");
		if (strcmp(text_of(sysfs_lack(name)), want) != 0)
			fail_msg("%s: '%s', not '%s'", name, text_of(sysfs_lack(name)), want);
		seen++;
		free(quoted);
		free(want);
	}
	fclose(file);
	free(path);
	assert_true(seen >= 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_has_nothing_to_read_is_told_from_what_has),
		TEST(a_partition_is_of_the_disk_that_it_lies_in),
		TEST(without_sysfs_the_counters_know_a_name),
		TEST(devices_of_other_people_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
