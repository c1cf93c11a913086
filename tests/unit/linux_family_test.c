/* Which devices lose bytes with one that is written to: mappings, mirrors, paths, partitions that
 * overlap. Trees of sysfs are made under a root of our own, since few test machines can map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/platform/linux_family.h"
#include "tests/unit/sysfs_tree.h"

/* Where a partition lies on its disk, in sectors; the number is its name's. */
static void add_partition(const char *name, const char *disk, const char *start, const char *size)
{
	char *folder = mem_format("/sys/devices/x/%s/%s", disk, name);

	add_device(name, disk, "512", false, false);
	write_file(folder, "start", start);
	write_file(folder, "size", size);
	free(folder);
}

/* Both know of each other. */
static void stack(const char *above, const char *below)
{
	char *slaves = mem_format("/sys/class/block/%s/slaves/%s", above, below);
	char *holders = mem_format("/sys/class/block/%s/holders/%s", below, above);

	make_folder(slaves);
	make_folder(holders);
	free(slaves);
	free(holders);
}

static void add_disk(const char *name)
{
	add_device(name, NULL, "1073741824", false, false);
}

static void require_family(const char *of, const char *in, const char *not_in)
{
	struct family family;
	char *names[] = {mem_text(in), mem_text(not_in)};

	family_find(&family, of);
	for (int i = 0; i < 2; i++)
		for (char *name = strtok(names[i], " "); name; name = strtok(NULL, " "))
			if (family_has(&family, name) != (i == 0))
				fail_msg("%s is %sof the family of %s", name, i ? "" : "not ", of);
	family_release(&family);
	free(names[0]);
	free(names[1]);
}

static void partitions_with_common_bytes_are_of_one_family(void **state)
{
	(void)state;
	add_disk("sdb");
	add_partition("sdb1", "sdb", "2048", "1000");
	add_partition("sdb2", "sdb", "3048", "1000"); /* begins where sdb1 ends */
	add_partition("sdb3", "sdb", "2048", "4000"); /* over both, and some more */
	add_partition("sdb6", "sdb", "5000", "2000"); /* its begin is in sdb3 */
	require_family("sdb1", "sdb1 sdb3 sdb", "sdb2 sdb6");
	require_family("sdb2", "sdb2 sdb3 sdb", "sdb1 sdb6");
	require_family("sdb3", "sdb1 sdb2 sdb3 sdb6", "");
	require_family("sdb6", "sdb3 sdb6", "sdb1 sdb2");
	require_family("sdb", "sdb1 sdb2 sdb3 sdb6", "");
}

/* The kernel makes it two sectors long, which end before the first logical one begins. */
static void an_extended_partition_has_the_logical_ones(void **state)
{
	(void)state;
	add_disk("sdb");
	add_partition("sdb1", "sdb", "2048", "2048");
	add_partition("sdb2", "sdb", "4096", "2");
	add_partition("sdb5", "sdb", "6144", "2048");
	add_partition("sdb6", "sdb", "10240", "2048");
	require_family("sdb2", "sdb2 sdb5 sdb6", "sdb1");
	require_family("sdb5", "sdb2 sdb5", "sdb1 sdb6");
	require_family("sdb1", "sdb1", "sdb2 sdb5 sdb6");
}

static void what_a_mapping_lies_on_is_of_its_family_and_not_what_is_beside_it(void **state)
{
	struct family family;

	(void)state;
	add_disk("sdb");
	add_partition("sdb1", "sdb", "2048", "1000");
	add_partition("sdb2", "sdb", "4096", "1000");
	add_partition("sdb3", "sdb", "4100", "10");
	add_disk("dm-0");
	add_disk("dm-1");
	stack("dm-0", "sdb2");
	stack("dm-1", "sdb2");
	require_family("dm-0", "dm-0 sdb2 sdb3 sdb", "dm-1 sdb1");
	family_find(&family, "dm-0");
	assert_true(names_has(&family.beneath, "sdb2")); /* that dm-1 holds it does not count */
	assert_false(names_has(&family.full, "sdb2"));
	family_release(&family);
	require_family("sdb2", "dm-0 dm-1", "sdb1");
}

static void a_mirrors_partition_lies_on_the_disks(void **state)
{
	(void)state;
	add_disk("sdb");
	add_disk("sdc");
	add_partition("sdc1", "sdc", "2048", "1000");
	add_disk("md0");
	add_partition("md0p1", "md0", "2048", "100");
	add_partition("md0p2", "md0", "4096", "100");
	stack("md0", "sdb");
	stack("md0", "sdc1");
	require_family("md0p1", "md0p1 md0 sdb sdc1 sdc", "md0p2");
	require_family("sdc1", "md0 md0p1 md0p2 sdc1 sdc", "sdb");
}

/* A disk's paths are held by the mapping, and partitions that the kernel found on them with them.
 */
static void a_multipath_disk_is_not_held_by_itself(void **state)
{
	static const char *const paths[] = {"sdb", "sdc"};
	struct family family;

	(void)state;
	add_disk("dm-0");
	for (int i = 0; i < 2; i++) {
		char *folder = mem_format("/sys/devices/x/%s", paths[i]);
		char *part = mem_format("%s1", paths[i]);
		add_disk(paths[i]);
		write_file(folder, "wwid", "naa.600508b1001c0000");
		add_partition(part, paths[i], "2048", "1000");
		stack("dm-0", paths[i]);
		free(folder);
		free(part);
	}
	family_find(&family, "dm-0");
	assert_true(names_has(&family.beneath, "sdb"));
	assert_true(names_has(&family.beneath, "sdc1"));
	assert_int_equal(family.full.count, 1);
	assert_int_equal(family.whole.count, 0);
	assert_int_equal(family.sharing.count, 0);
	family_release(&family);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(partitions_with_common_bytes_are_of_one_family),
		TEST(an_extended_partition_has_the_logical_ones),
		TEST(what_a_mapping_lies_on_is_of_its_family_and_not_what_is_beside_it),
		TEST(a_mirrors_partition_lies_on_the_disks),
		TEST(a_multipath_disk_is_not_held_by_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
