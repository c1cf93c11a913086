#include "agent/platform/linux_twins.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "agent/platform/posix.h"

/* What a disk tells of itself. */
struct disk {
	char name[HARDWARE_NAME_SIZE];
	uint64_t sectors;
};

/* The parts of an NVMe disk's own multipath are hidden, and the disk itself is there. */
static bool find_disk(const char *device, struct disk *disk)
{
	uint64_t hidden = 0;

	if (sysfs_number(&hidden, "/sys/class/block/%s/hidden", device) && hidden)
		return false;
	return sysfs_number(&disk->sectors, "/sys/class/block/%s/size", device) &&
	       disk->sectors > 0 && hardware_name(device, disk->name);
}

static bool is_same(const struct disk *a, const struct disk *b)
{
	return a->sectors == b->sectors && strcmp(a->name, b->name) == 0;
}

/* Adds `twin`, or its partition with that number where there is one. */
static void add(struct names *names, const char *twin, uint64_t partition)
{
	struct names partitions = {0};
	uint64_t number;

	if (!partition)
		names_add(names, twin);
	else
		sysfs_add_partitions(&partitions, twin);
	for (uint32_t i = 0; i < partitions.count; i++)
		if (sysfs_number(&number, "/sys/class/block/%s/partition", partitions.names[i]) &&
		    number == partition)
			names_add(names, partitions.names[i]);
	names_release(&partitions);
}

void twins_add(struct names *names, const char *device)
{
	char disk_name[PLATFORM_DEVICE_NAME], ignored[PLATFORM_DEVICE_NAME];
	struct names all = {0};
	struct disk disk, other;
	uint64_t partition = 0;

	if (!sysfs_disk(device, disk_name))
		posix_copy(disk_name, sizeof(disk_name), device);
	else if (!sysfs_number(&partition, "/sys/class/block/%s/partition", device))
		return;
	if (!find_disk(disk_name, &disk))
		return;
	sysfs_add_entries(&all, "/sys/class/block");
	for (uint32_t i = 0; i < all.count; i++)
		if (strcmp(all.names[i], disk_name) != 0 && !sysfs_disk(all.names[i], ignored) &&
		    find_disk(all.names[i], &other) && is_same(&disk, &other))
			add(names, all.names[i], partition);
	names_release(&all);
}

bool is_twin(const char *device, const char *other)
{
	struct names twins = {0};

	twins_add(&twins, device);
	bool found = names_has(&twins, other);
	names_release(&twins);
	return found;
}
