/* Limits of control groups, read from trees that a test lays out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/platform/linux_cgroup.h"

#define V1_MOUNTS                                                                                  \
	"30 20 0:26 /docker/c0 /sys/fs/cgroup/memory ro,nosuid master:9 - cgroup cgroup "          \
	"rw,memory\n"                                                                              \
	"31 20 0:27 /docker/c0 /sys/fs/cgroup/cpu ro master:9 - cgroup cgroup rw,cpu,cpuacct\n"    \
	"32 20 0:28 /docker/c0 /sys/fs/cgroup/blkio ro master:9 - cgroup cgroup rw,blkio\n"
#define V1_GROUPS                                                                                  \
	"9:memory:/docker/c0\n8:cpu,cpuacct:/docker/c0\n7:blkio:/docker/c0\n0::/docker/c0\n"
#define V2_MOUNTS "30 20 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

/* A file of the tree and what is in it. */
struct entry {
	const char *path, *text;
};
struct scene {
	const char *name;
	struct entry files[8];
	struct platform_limits want;
	const char *container;
};

static const struct scene scenes[] = {
	{"nothing there", {{NULL}}, {0}, ""},
	{"v1 in docker",
	 {{"/proc/self/mountinfo", V1_MOUNTS},
	  {"/proc/self/cgroup", V1_GROUPS},
	  {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"},
	  {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n"},
	  {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
	  {"/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", "250:250 20971520\n"}},
	 {512 << 20, 1500, "250:250 read 20.0 MiB/s"},
	 "docker"},
	{"v1 without limits",
	 {{"/proc/self/mountinfo", V1_MOUNTS},
	  {"/proc/self/cgroup", "9:memory:/docker/c0\n8:cpu,cpuacct:/docker/c0\n"},
	  {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
	  {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
	  {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
	 {0},
	 "docker"},
	{"v2, the tightest of a group and the one above",
	 {{"/proc/self/mountinfo", V2_MOUNTS},
	  {"/proc/self/cgroup", "0::/system.slice/muster-agent.service\n"},
	  {"/sys/fs/cgroup/system.slice/memory.max", "1073741824\n"},
	  {"/sys/fs/cgroup/system.slice/muster-agent.service/memory.max", "max\n"},
	  {"/sys/fs/cgroup/system.slice/muster-agent.service/cpu.max", "max 100000\n"},
	  {"/sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n"},
	  {"/sys/fs/cgroup/system.slice/muster-agent.service/io.max",
	   "250:251 rbps=max wbps=1048576 riops=120 wiops=max\n250:252 rbps=max wbps=max riops=max "
	   "wiops=max\n"}},
	 {1 << 30, 500, "250:251 write 1.00 MiB/s read 120 IOPS"},
	 ""},
	{"rubbish",
	 {{"/proc/self/mountinfo", "x\n- cgroup2\n" V2_MOUNTS},
	  {"/proc/self/cgroup", "0\n:\n::\n0::/..\n"},
	  {"/sys/fs/cgroup/memory.max", "-5\n"},
	  {"/sys/fs/cgroup/cpu.max", "7\n"},
	  {"/sys/fs/cgroup/io.max", "8:\n9\nrbps=5\n"}},
	 {0},
	 ""},
	{"nspawn says it", {{"/run/systemd/container", "systemd-nspawn\n"}}, {0}, "systemd-nspawn"},
	{"docker without control groups of its own",
	 {{"/proc/self/mountinfo", "40 30 8:1 /hosts /etc/hosts rw - ext4 /dev/sda1 rw\n"},
	  {"/.dockerenv", ""}},
	 {0},
	 "docker"},
	{"a machine installed from an image", {{"/.dockerenv", ""}}, {0}, ""},
	{"podman", {{"/run/.containerenv", "\n"}}, {0}, "podman"},
};

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void write_file(const char *root, const struct entry *entry)
{
	char path[300];

	snprintf(path, sizeof(path), "%s%s", root, entry->path);
	make_parents(path);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(entry->text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_tree(const char *root)
{
	char command[120];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

static void limits_and_containers_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		const struct scene *scene = &scenes[i];
		char root[] = "/tmp/muster-cgroup.XXXXXX", kind[PLATFORM_CONTAINER];
		struct platform_limits limits;

		assert_non_null(mkdtemp(root));
		for (const struct entry *file = scene->files; file->path; file++)
			write_file(root, file);
		cgroup_limits(root, &limits);
		cgroup_container(root, kind);
		remove_tree(root);
		if (limits.memory_bytes != scene->want.memory_bytes ||
		    limits.cpu_thousandths != scene->want.cpu_thousandths ||
		    strcmp(limits.io, scene->want.io) || strcmp(kind, scene->container))
			fail_msg("%s: memory %llu, cpu %u, io '%s', container '%s'", scene->name,
				 (unsigned long long)limits.memory_bytes, limits.cpu_thousandths,
				 limits.io, kind);
	}
}

static void many_io_limits_are_cut_at_a_whole_one(void **state)
{
	struct entry files[] = {{"/proc/self/mountinfo", V2_MOUNTS},
				{"/proc/self/cgroup", "0::/\n"},
				{"/sys/fs/cgroup/io.max", NULL}};
	char root[] = "/tmp/muster-cgroup.XXXXXX", lines[64 * 40] = "";
	struct platform_limits limits;

	(void)state;
	for (int i = 0; i < 40; i++)
		sprintf(lines + strlen(lines), "251:%d rbps=1048576 wbps=1048576\n", i);
	files[2].text = lines;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < 3; i++)
		write_file(root, &files[i]);
	cgroup_limits(root, &limits);
	remove_tree(root);
	assert_string_equal(limits.io + strlen(limits.io) - strlen(" MiB/s"), " MiB/s");
	assert_true(strlen(limits.io) < sizeof(limits.io));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_and_containers_are_told),
		cmocka_unit_test(many_io_limits_are_cut_at_a_whole_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
