/* sunos_cpus.c - processors, by processor_bind(2), which takes one at a time. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <string.h>
#include <sys/processor.h>
#include <sys/procset.h>
#include <sys/types.h>
#include <unistd.h>

int platform_cpus(struct cpu_list *cpus, struct error *err)
{
	long last = sysconf(_SC_CPUID_MAX);

	*cpus = (struct cpu_list){0};
	for (processorid_t id = 0; id <= last && id < CPU_LIST_MOST; id++) {
		int state = p_online(id, P_STATUS);
		if (state == P_ONLINE || state == P_NOINTR)
			cpu_list_add(cpus, (uint32_t)id);
	}
	if (cpus->count)
		return 0;
	error_set(err, ERROR_SYSTEM, "cannot ask for processors: %s", strerror(errno));
	return -1;
}

static int has_no_nodes(struct error *err)
{
	error_set(err, ERROR_REFUSED,
		  "muster does not know the locality groups of this system: leave 'numa' out and "
		  "name 'cpus' (lgrpinfo shows which go together)");
	return -1;
}

int platform_nodes(struct cpu_list *nodes, struct error *err)
{
	*nodes = (struct cpu_list){0};
	return has_no_nodes(err);
}

int platform_node_cpus(uint32_t node, struct cpu_list *cpus, struct error *err)
{
	(void)node;
	*cpus = (struct cpu_list){0};
	return has_no_nodes(err);
}

bool platform_device_node(int fd, uint32_t *node)
{
	(void)fd;
	(void)node;
	return false;
}

int platform_thread_bind(const struct cpu_list *cpus)
{
	if (cpus->count != 1)
		return ENOTSUP;
	return processor_bind(P_LWPID, P_MYID, (processorid_t)cpus->cpus[0], NULL) ? errno : 0;
}

void *platform_huge_buffer(size_t *size, struct error *err)
{
	(void)size;
	error_set(err, ERROR_REFUSED,
		  "this system has no pool of huge pages; it chooses large ones by itself, as "
		  "'hugepages: auto' takes them");
	return NULL;
}

void platform_huge_free(void *buffer, size_t size)
{
	(void)buffer;
	(void)size;
}
