/* device_counters.h - bytes that the devices beneath the targets moved, before and after a phase.
 *
 * A device is once in the list, however many targets use it, and names them all; those beneath
 * another one (a partition's disk, members of md) say which. A target of which the devices cannot
 * be found is in none: its share is unknown. */
#ifndef MUSTER_AGENT_DEVICE_COUNTERS_H
#define MUSTER_AGENT_DEVICE_COUNTERS_H

#include <stdint.h>

#include "proto/messages.h"

struct device_counters {
	struct done_device *devices;
	uint32_t count;
};

/* Adds the devices that the bytes of an open file or device move on. */
void device_counters_add(struct device_counters *counters, int fd, const char *target);

/* Reads them all; a device that has no counters is dropped. */
void device_counters_before(struct device_counters *counters);
/* Reads them anew as they were before, if that is done before `until_ns` of our clock: who comes
 * too late would take the phase's own bytes for others'. */
void device_counters_again(struct device_counters *counters, uint64_t until_ns);
void device_counters_after(struct device_counters *counters);

/* Bytes that the top devices have moved since boot, read now: whether anything goes on while a
 * sync says nothing. 0 where there are no counters. */
uint64_t device_counters_moved(const struct device_counters *counters);

/* Appends copies to done->devices. */
void device_counters_report(const struct device_counters *counters, struct done *done);

void device_counters_release(struct device_counters *counters);

#endif
