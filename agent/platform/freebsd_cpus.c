/* freebsd_cpus.c - processors and memory domains, by cpuset(2). */
#include "agent/platform/platform.h"

#include <errno.h>
#include <string.h>
#include <sys/param.h>
#include <sys/cpuset.h>
#include <sys/sysctl.h>

static int ask(cpuwhich_t which, id_t id, struct cpu_list *cpus, struct error *err)
{
	cpuset_t set;

	*cpus = (struct cpu_list){0};
	CPU_ZERO(&set);
	if (cpuset_getaffinity(CPU_LEVEL_WHICH, which, id, sizeof(set), &set)) {
		error_set(err, ERROR_SYSTEM, "cannot ask for processors: %s", strerror(errno));
		return -1;
	}
	for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpu_list_add(cpus, cpu);
	return 0;
}

int platform_cpus(struct cpu_list *cpus, struct error *err)
{
	return ask(CPU_WHICH_PID, -1, cpus, err);
}

int platform_nodes(struct cpu_list *nodes, struct error *err)
{
	int count = 1;
	size_t size = sizeof(count);

	(void)err;
	*nodes = (struct cpu_list){0};
	if (sysctlbyname("vm.ndomains", &count, &size, NULL, 0) || count < 1)
		count = 1;
	for (int i = 0; i < count; i++)
		cpu_list_add(nodes, (uint32_t)i);
	return 0;
}

int platform_node_cpus(uint32_t node, struct cpu_list *cpus, struct error *err)
{
	return ask(CPU_WHICH_DOMAIN, (id_t)node, cpus, err);
}

/* dev.<driver>.<unit>.%domain is of the controller, which GEOM does not name. */
bool platform_device_node(int fd, uint32_t *node)
{
	(void)fd;
	(void)node;
	return false;
}

int platform_thread_bind(const struct cpu_list *cpus)
{
	cpuset_t set;

	CPU_ZERO(&set);
	for (uint32_t i = 0; i < cpus->count; i++) {
		if (cpus->cpus[i] >= CPU_SETSIZE)
			return EINVAL;
		CPU_SET(cpus->cpus[i], &set);
	}
	return cpuset_setaffinity(CPU_LEVEL_WHICH, CPU_WHICH_TID, -1, sizeof(set), &set) ? errno
											 : 0;
}

void *platform_huge_buffer(size_t *size, struct error *err)
{
	(void)size;
	error_set(err, ERROR_REFUSED,
		  "FreeBSD has no pool of huge pages; it makes superpages of large buffers by "
		  "itself, as 'hugepages: auto' takes them");
	return NULL;
}

void platform_huge_free(void *buffer, size_t size)
{
	(void)buffer;
	(void)size;
}
