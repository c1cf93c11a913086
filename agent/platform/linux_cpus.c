/* linux_cpus.c - processors and NUMA nodes, by sched_setaffinity and sysfs. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/linux_sysfs.h"

#define NODES "/sys/devices/system/node"

int platform_cpus(struct cpu_list *cpus, struct error *err)
{
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MOST);
	cpu_set_t *set = CPU_ALLOC(CPU_LIST_MOST);
	int failed = !set || sched_getaffinity(0, size, set);

	*cpus = (struct cpu_list){0};
	if (failed)
		error_set(err, ERROR_SYSTEM, "cannot ask for the processors of this process: %s",
			  strerror(errno));
	for (uint32_t cpu = 0; !failed && cpu < CPU_LIST_MOST; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			cpu_list_add(cpus, cpu);
	CPU_FREE(set);
	return failed ? -1 : 0;
}

/* False: there is no such file, or it is empty (a node without processors). */
static int read_list(struct cpu_list *list, const char *path, bool *found, struct error *err)
{
	char text[4096];

	*list = (struct cpu_list){0};
	*found = sysfs_text(text, sizeof(text), "%s", path);
	if (!*found || !cpu_list_parse(list, text, err))
		return 0;
	error_prefix(err, "%s", path);
	return -1;
}

/* A kernel without NUMA has no such folder: one node, and all is on it. */
int platform_nodes(struct cpu_list *nodes, struct error *err)
{
	bool found;

	if (read_list(nodes, NODES "/online", &found, err))
		return -1;
	if (!found)
		cpu_list_add(nodes, 0);
	return 0;
}

int platform_node_cpus(uint32_t node, struct cpu_list *cpus, struct error *err)
{
	char path[128];
	bool found;

	snprintf(path, sizeof(path), NODES "/node%u/cpulist", node);
	if (read_list(cpus, path, &found, err))
		return -1;
	if (!found && node == 0 && !sysfs_text(path, sizeof(path), NODES "/online"))
		return platform_cpus(cpus, err);
	return 0;
}

int platform_thread_bind(const struct cpu_list *cpus)
{
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MOST);
	cpu_set_t *set = CPU_ALLOC(CPU_LIST_MOST);

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	for (uint32_t i = 0; i < cpus->count; i++)
		CPU_SET_S(cpus->cpus[i], size, set);
	int failed = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	return failed;
}

/* Some ancestor of the device in sysfs, its PCI function mostly, says it; -1 there is unknown. */
static bool node_of(const char *name, uint32_t *node)
{
	char path[64 + PLATFORM_DEVICE_NAME], real[PATH_MAX], text[128];
	const size_t root = strlen("/sys/devices");

	snprintf(path, sizeof(path), "/sys/class/block/%.63s", name);
	if (!realpath(path, real))
		return false;
	for (char *end; (end = strrchr(real, '/')) && end > real + root;) {
		if (sysfs_text(text, sizeof(text), "%s/numa_node", real) && text[0] != '-') {
			*node = (uint32_t)strtoul(text, NULL, 10);
			return true;
		}
		*end = '\0';
	}
	return false;
}

bool platform_device_node(int fd, uint32_t *node)
{
	enum { MOST = 64 };
	struct platform_device devices[MOST];
	uint32_t count = fd < 0 ? 0 : platform_devices(fd, devices, MOST), of_one;
	bool found = false;

	for (uint32_t i = 0; i < count; i++) {
		if (!node_of(devices[i].device, &of_one))
			continue;
		if (found && of_one != *node)
			return false;
		*node = of_one;
		found = true;
	}
	return found;
}
