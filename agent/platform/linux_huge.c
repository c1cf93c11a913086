/* linux_huge.c - memory of the kernel's pool of huge pages. */
#include "agent/platform/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/platform/linux_sysfs.h"

/* The size that MAP_HUGETLB alone takes; 0: the kernel has none. */
static uint64_t page_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	uint64_t kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Hugepagesize: %" SCNu64 " kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

static void explain(uint64_t page, size_t size, int number, struct error *err)
{
	uint64_t all = 0, free_pages = 0;

	sysfs_number(&all, "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/nr_hugepages",
		     page / 1024);
	sysfs_number(&free_pages, "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB/free_hugepages",
		     page / 1024);
	error_set(err, ERROR_REFUSED,
		  "no huge pages for a worker's buffers of %zu bytes (%s): each worker needs "
		  "%" PRIu64 " of %" PRIu64 " KiB, and the pool has %" PRIu64 " of which %" PRIu64
		  " are free: raise sysctl vm.nr_hugepages, or lower block_size, queue_depth or "
		  "workers",
		  size, strerror(number), ((uint64_t)size + page - 1) / page, page / 1024, all,
		  free_pages);
}

void *platform_huge_buffer(size_t *size, struct error *err)
{
	uint64_t page = page_bytes();

	if (!page) {
		error_set(err, ERROR_REFUSED, "this kernel has no huge pages (CONFIG_HUGETLBFS)");
		return NULL;
	}
	size_t whole = (*size + page - 1) / page * page;
	void *buffer = mmap(NULL, whole, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (buffer == MAP_FAILED) {
		explain(page, *size, errno, err);
		return NULL;
	}
	*size = whole;
	return buffer;
}

void platform_huge_free(void *buffer, size_t size)
{
	if (buffer)
		munmap(buffer, size);
}
