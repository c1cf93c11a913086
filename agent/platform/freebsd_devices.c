/* Disks beneath a file or device, and their counters from devstat. */
#include "agent/platform/platform.h"

#include <sys/param.h>
#include <sys/devicestat.h>
#include <sys/sysctl.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/platform/freebsd_geom.h"
#include "agent/platform/posix.h"

/* kern.devstat.all: a generation (long), then one struct devstat a device; NULL when it is not as
 * this program's headers say. */
static char *read_statistics(size_t *size)
{
	int version = 0;
	size_t version_size = sizeof(version);

	if (sysctlbyname("kern.devstat.version", &version, &version_size, NULL, 0) < 0 ||
	    version != DEVSTAT_VERSION)
		return NULL;
	for (int i = 0; i < 8; i++) {
		if (sysctlbyname("kern.devstat.all", NULL, size, NULL, 0) < 0)
			return NULL;
		*size += 8 * sizeof(struct devstat);
		char *bytes = malloc(*size);
		if (!bytes || sysctlbyname("kern.devstat.all", bytes, size, NULL, 0) == 0)
			return bytes;
		free(bytes);
		if (errno != ENOMEM && errno != EBUSY)
			return NULL;
	}
	return NULL;
}

static bool is_named(const struct devstat *device, const char *name)
{
	char text[DEVSTAT_NAME_LEN + 16];

	snprintf(text, sizeof(text), "%.*s%d", DEVSTAT_NAME_LEN, device->device_name,
		 device->unit_number);
	return strcmp(text, name) == 0;
}

bool platform_device_bytes(const char *name, uint64_t *read_bytes, uint64_t *written_bytes)
{
	struct devstat device;
	size_t size = 0;
	bool found = false;
	char *bytes = read_statistics(&size);

	if (!bytes)
		return false;
	for (size_t at = sizeof(long); !found && at + sizeof(device) <= size;
	     at += sizeof(device)) {
		memcpy(&device, bytes + at, sizeof(device));
		if (!is_named(&device, name))
			continue;
		*read_bytes = device.bytes[DEVSTAT_READ];
		*written_bytes = device.bytes[DEVSTAT_WRITE];
		found = true;
	}
	free(bytes);
	return found;
}

static uint32_t put(struct platform_device *devices, uint32_t count, uint32_t most,
		    const char *device)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(devices[i].device, device) == 0)
			return count;
	if (count == most || strlen(device) >= PLATFORM_DEVICE_NAME)
		return count;
	posix_copy(devices[count].device, PLATFORM_DEVICE_NAME, device);
	devices[count].under[0] = '\0';
	return count + 1;
}

/* Only disks have counters here (stripes, labels and partitions have none unless
 * kern.geom.collectstats is set), so they are the top ones. What is written to a mirror shows on
 * each of its disks. */
uint32_t platform_devices(int fd, struct platform_device *devices, uint32_t most)
{
	struct geom_mesh mesh;
	struct geom_set all = {0};
	struct error ignored;
	uint32_t count = 0;

	if (geom_read(&mesh, &ignored) < 0)
		return 0;
	int64_t top = geom_provider_of(&mesh, fd);
	if (top >= 0)
		geom_mesh_add_all_beneath(&mesh, (uint32_t)top, &all);
	for (uint32_t i = 0; i < all.count; i++) {
		const struct geom_provider *provider = &mesh.providers[all.providers[i]];
		uint64_t read_bytes, written_bytes;
		if (platform_device_bytes(provider->name, &read_bytes, &written_bytes))
			count = put(devices, count, most, provider->name);
	}
	geom_set_release(&all);
	geom_mesh_release(&mesh);
	return count;
}
