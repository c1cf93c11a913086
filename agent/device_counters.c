#include "agent/device_counters.h"

#include <stdlib.h>
#include <string.h>

#include "agent/platform/platform.h"
#include "common/clock.h"
#include "common/memory.h"

/* A stripe or pool over more disks than this is not known as a whole. */
#define MOST_DEVICES 256

static bool is_same(const struct done_device *one, const struct platform_device *other)
{
	return !strcmp(one->device, other->device) &&
	       !strcmp(one->under ? one->under : "", other->under);
}

static struct done_device *device_of(struct device_counters *counters,
				     const struct platform_device *found)
{
	for (uint32_t i = 0; i < counters->count; i++)
		if (is_same(&counters->devices[i], found))
			return &counters->devices[i];
	struct done_device *device = RECORD_APPEND(counters->devices, counters->count);
	device->device = mem_text(found->device);
	device->under = found->under[0] ? mem_text(found->under) : NULL;
	return device;
}

static void add_target(struct done_device *device, const char *target)
{
	for (uint32_t i = 0; i < device->targets_count; i++)
		if (!strcmp(device->targets[i].name, target))
			return;
	struct name *name = RECORD_APPEND(device->targets, device->targets_count);
	name->name = mem_text(target);
}

void device_counters_add(struct device_counters *counters, int fd, const char *target)
{
	struct platform_device *found = mem_new(MOST_DEVICES, sizeof(*found));
	uint32_t count = platform_devices(fd, found, MOST_DEVICES);

	for (uint32_t i = 0; i < count && i < MOST_DEVICES; i++)
		add_target(device_of(counters, &found[i]), target);
	free(found);
}

static void release_device(struct done_device *device)
{
	for (uint32_t i = 0; i < device->targets_count; i++)
		free(device->targets[i].name);
	free(device->targets);
	free(device->device);
	free(device->under);
}

static void drop(struct device_counters *counters, uint32_t at)
{
	release_device(&counters->devices[at]);
	counters->count--;
	memmove(&counters->devices[at], &counters->devices[at + 1],
		(counters->count - at) * sizeof(*counters->devices));
}

void device_counters_before(struct device_counters *counters)
{
	for (uint32_t i = 0; i < counters->count;) {
		struct done_device *device = &counters->devices[i];
		if (platform_device_bytes(device->device, &device->read_before,
					  &device->written_before))
			i++;
		else
			drop(counters, i);
	}
}

/* What is read for `after` here is read again at the end. */
void device_counters_again(struct device_counters *counters, uint64_t until_ns)
{
	device_counters_after(counters);
	if (clock_now_ns() >= until_ns)
		return;
	for (uint32_t i = 0; i < counters->count; i++) {
		counters->devices[i].read_before = counters->devices[i].read_after;
		counters->devices[i].written_before = counters->devices[i].written_after;
	}
}

void device_counters_after(struct device_counters *counters)
{
	for (uint32_t i = 0; i < counters->count;) {
		struct done_device *device = &counters->devices[i];
		if (platform_device_bytes(device->device, &device->read_after,
					  &device->written_after))
			i++;
		else
			drop(counters, i);
	}
}

uint64_t device_counters_moved(const struct device_counters *counters)
{
	uint64_t moved = 0, read_bytes, written_bytes;

	for (uint32_t i = 0; i < counters->count; i++) {
		const struct done_device *device = &counters->devices[i];
		if (device->under ||
		    !platform_device_bytes(device->device, &read_bytes, &written_bytes))
			continue;
		moved += read_bytes + written_bytes;
	}
	return moved;
}

void device_counters_report(const struct device_counters *counters, struct done *done)
{
	for (uint32_t i = 0; i < counters->count; i++) {
		const struct done_device *from = &counters->devices[i];
		struct done_device *device = RECORD_APPEND(done->devices, done->devices_count);
		*device = *from;
		device->device = mem_text(from->device);
		device->under = mem_text(from->under);
		device->targets = NULL;
		device->targets_count = 0;
		for (uint32_t k = 0; k < from->targets_count; k++)
			add_target(device, from->targets[k].name);
	}
}

void device_counters_release(struct device_counters *counters)
{
	for (uint32_t i = 0; i < counters->count; i++)
		release_device(&counters->devices[i]);
	free(counters->devices);
	*counters = (struct device_counters){0};
}
