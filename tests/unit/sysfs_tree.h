/* sysfs_tree.h - a sysfs of a test's own, under a root of its own. */
#ifndef MUSTER_TESTS_SYSFS_TREE_H
#define MUSTER_TESTS_SYSFS_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/platform/linux_sysfs.h"
#include "common/memory.h"

static char top[] = "/tmp/muster-sysfs.XXXXXX";

static int make_root(void **state)
{
	(void)state;
	strcpy(top, "/tmp/muster-sysfs.XXXXXX");
	if (!mkdtemp(top))
		return -1;
	sysfs_set_root(top);
	return 0;
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	sysfs_set_root("");
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static void make_folder(const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", top, path);
	for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	mkdir(whole, 0755);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s%s/%s", top, folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	assert_int_equal(fclose(file), 0);
}

/* A device as the kernel lays it out: its folder, under that of its disk where it is a partition of
 * one, and a link to it where all are listed. */
static void add_device(const char *name, const char *disk, const char *size_bytes, bool hidden,
		       bool removable)
{
	char folder[256], link[512], text[64];
	static unsigned minor;

	if (disk)
		snprintf(folder, sizeof(folder), "/sys/devices/x/%s/%s", disk, name);
	else
		snprintf(folder, sizeof(folder), "/sys/devices/x/%s", name);
	make_folder(folder);
	snprintf(text, sizeof(text), "%llu", strtoull(size_bytes, NULL, 10) / 512);
	write_file(folder, "size", text);
	write_file(folder, "hidden", hidden ? "1" : "0");
	write_file(folder, "removable", removable ? "1" : "0");
	snprintf(text, sizeof(text), "8:%u", minor++);
	if (!hidden)
		write_file(folder, "dev", text);
	if (disk) {
		size_t digits = strcspn(name + strlen(disk), "0123456789");
		write_file(folder, "partition", name + strlen(disk) + digits);
	}
	make_folder("/sys/class/block");
	snprintf(link, sizeof(link), "%s/sys/class/block/%s", top, name);
	char *target = mem_format("../../%s", folder + 5);
	assert_int_equal(symlink(target, link), 0);
	free(target);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

#endif
