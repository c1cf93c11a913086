/* devices.h - what the devices moved, each reported once, and their share of what the engines did.
 *
 * Counters belong to a device of a running kernel, not to a target or an agent. Agents with one
 * boot_id share a kernel: a device that several of them used is merged into one entry, under the
 * first of them in the phase's order, with the others' targets as "host:target". It moved
 * max(after) - min(before), since all ran at once.
 *
 * The share is taken over groups. Targets belong together when they use the same top device, on
 * whichever host of the kernel, and a target with several top devices (btrfs over two disks) ties
 * those together: share = bytes that the group's top devices moved / bytes that the engines moved
 * on its targets, ramp included. Read against read, written against written, both added for a
 * mixed phase. Each top device of a group carries the group's share. NAN where there is no telling:
 * beneath another device, no engine bytes, a counter that ran backwards, a device that is both a
 * top one and beneath another, or an agent of the kernel that ended without giving its counters. */
#ifndef MUSTER_CONTROLLER_ANALYSIS_DEVICES_H
#define MUSTER_CONTROLLER_ANALYSIS_DEVICES_H

#include "controller/result.h"
#include "proto/messages.h"

/* More devices of one host than this are left out, and the shares of its kernel are unknown. */
#define DEVICES_MAX 4096

/* Fills the empty `devices` of each of the phase's hosts from what the agents counted:
 * counters[h] are the counts[h] devices of phase->hosts[h] (NULL with 0). Totals of the targets
 * must be there. */
void devices_merge(const struct result *result, struct result_phase *phase,
		   const struct done_device *const *counters, const uint32_t *counts);

/* The target that `name` (target, or host:target) means where it stands under phase->hosts[host];
 * NULL when there is none. */
const struct result_target *devices_target(const struct result_phase *phase, uint32_t host,
					   const char *name);

/* A top device that a target of phase->hosts[host] moves bytes on; NULL when none is known. */
const struct result_device *devices_find(const struct result_phase *phase, uint32_t host,
					 const struct result_target *target);

/* What an engine moved on a target, ramp included. */
static inline uint64_t devices_engine_bytes(const struct result_target *target)
{
	return target->bytes + target->ramp_bytes;
}

/* What a device moved of the phase's kind. */
uint64_t devices_moved_bytes(const struct result_phase *phase, const struct result_device *device);

#endif
