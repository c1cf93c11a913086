#include "controller/analysis/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"

/* A device of a kernel as its agents saw it. */
struct merged {
	uint32_t kernel;
	uint32_t host; /* the first that named it */
	const char *device, *under;
	bool is_top, is_beneath; /* by some agent's account */
	bool is_unclear;         /* a counter ran backwards */
	uint64_t read_before, read_after, written_before, written_after;
	struct name *targets;
	uint32_t targets_count;
};

/* What the merge works on. Nodes of the groups: all targets of all hosts, then the devices. */
struct merge {
	struct result_phase *phase;
	const struct done_device *const *counters;
	uint32_t *counts;      /* as given, at most DEVICES_MAX */
	uint32_t *kernels;     /* of each host: the first host of the phase on the same kernel */
	bool *is_incomplete;   /* of each kernel: counters are missing */
	uint32_t *first_nodes; /* of each host: its first target's */
	uint32_t target_nodes;
	struct merged *devices;
	uint32_t devices_count;
	uint32_t *parents; /* of each node, in its group */
};

/* ---- kernels ---- */

/* Of each host of the phase; the caller's to free. Both have the fleet's order, so that a search
 * from behind the last find on ends at once. */
static const char **boot_ids(const struct result *result, const struct result_phase *phase)
{
	const char **ids = mem_new(phase->hosts_count, sizeof(*ids));
	uint32_t next = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t i = 0; i < result->hosts_count && !ids[h]; i++, next++) {
			const struct result_host *host = &result->hosts[next % result->hosts_count];
			if (text_is(host->host, phase->hosts[h].host))
				ids[h] = text_or(host->boot_id, "");
		}
	return ids;
}

static uint32_t find_kernel(const char *const *ids, uint32_t host)
{
	for (uint32_t h = 0; ids[host] && *ids[host] && h < host; h++)
		if (text_is(ids[host], ids[h]))
			return h;
	return host;
}

static void find_kernels(struct merge *merge, const struct result *result, const uint32_t *counts)
{
	uint32_t hosts = merge->phase->hosts_count;
	const char **ids = boot_ids(result, merge->phase);

	merge->kernels = mem_new(hosts, sizeof(*merge->kernels));
	merge->counts = mem_new(hosts, sizeof(*merge->counts));
	merge->is_incomplete = mem_new(hosts, sizeof(*merge->is_incomplete));
	merge->first_nodes = mem_new(hosts, sizeof(*merge->first_nodes));
	for (uint32_t h = 0; h < hosts; h++) {
		const struct result_phase_host *host = &merge->phase->hosts[h];
		uint32_t kernel = merge->kernels[h] = find_kernel(ids, h);
		merge->counts[h] = counts[h] < DEVICES_MAX ? counts[h] : DEVICES_MAX;
		if (counts[h] > DEVICES_MAX || (!counts[h] && !text_is(host->state, "complete")))
			merge->is_incomplete[kernel] = true;
		merge->first_nodes[h] = merge->target_nodes;
		merge->target_nodes += host->targets_count;
	}
	free(ids);
}

/* ---- one entry a device ---- */

static struct merged *find_device(struct merge *merge, uint32_t kernel, const char *device)
{
	for (uint32_t d = 0; d < merge->devices_count; d++)
		if (merge->devices[d].kernel == kernel &&
		    strcmp(merge->devices[d].device, device) == 0)
			return &merge->devices[d];
	return NULL;
}

static struct merged *get_device(struct merge *merge, uint32_t host,
				 const struct done_device *counter)
{
	struct merged *device = find_device(merge, merge->kernels[host], counter->device);

	if (device)
		return device;
	device = RECORD_APPEND(merge->devices, merge->devices_count);
	*device = (struct merged){
		.kernel = merge->kernels[host],
		.host = host,
		.device = counter->device,
		.under = counter->under,
		.read_before = counter->read_before,
		.read_after = counter->read_after,
		.written_before = counter->written_before,
		.written_after = counter->written_after,
	};
	return device;
}

static void widen(uint64_t *before, uint64_t *after, uint64_t other_before, uint64_t other_after)
{
	if (other_before < *before)
		*before = other_before;
	if (other_after > *after)
		*after = other_after;
}

static void add_name(struct merged *device, char *name)
{
	for (uint32_t i = 0; i < device->targets_count; i++)
		if (strcmp(device->targets[i].name, name) == 0) {
			free(name);
			return;
		}
	struct name *added = RECORD_APPEND(device->targets, device->targets_count);
	added->name = name;
}

static int find_target(const struct result_phase_host *host, const char *name)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (text_is(host->targets[t].target, name))
			return (int)t;
	return -1;
}

static void add_counter(struct merge *merge, uint32_t host, const struct done_device *counter)
{
	struct merged *device = get_device(merge, host, counter);
	const struct result_phase_host *owner = &merge->phase->hosts[host];

	widen(&device->read_before, &device->read_after, counter->read_before, counter->read_after);
	widen(&device->written_before, &device->written_after, counter->written_before,
	      counter->written_after);
	*(counter->under ? &device->is_beneath : &device->is_top) = true;
	if (counter->read_after < counter->read_before ||
	    counter->written_after < counter->written_before)
		device->is_unclear = true;
	for (uint32_t i = 0; i < counter->targets_count; i++) {
		const char *name = counter->targets[i].name;
		if (find_target(owner, name) < 0)
			continue;
		add_name(device, device->host == host ? mem_text(name)
						      : mem_format("%s:%s", owner->host, name));
	}
}

/* ---- groups ---- */

static uint32_t find_group(const struct merge *merge, uint32_t node)
{
	while (merge->parents[node] != node)
		node = merge->parents[node] = merge->parents[merge->parents[node]];
	return node;
}

static void tie(struct merge *merge, uint32_t host, const struct done_device *counter)
{
	struct merged *device = find_device(merge, merge->kernels[host], counter->device);
	uint32_t node = merge->target_nodes + (uint32_t)(device - merge->devices);

	for (uint32_t i = 0; !counter->under && i < counter->targets_count; i++) {
		int target = find_target(&merge->phase->hosts[host], counter->targets[i].name);
		if (target >= 0)
			merge->parents[find_group(merge, node)] =
				find_group(merge, merge->first_nodes[host] + (uint32_t)target);
	}
}

static uint64_t moved(const struct result_phase *phase, uint64_t read, uint64_t written)
{
	return (text_is(phase->op, "write") || text_is(phase->op, "fill") ? 0 : read) +
	       (text_is(phase->op, "read") ? 0 : written);
}

static uint64_t difference(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

/* Of each group, at its root: bytes by both counts; unclear where one cannot be trusted. */
struct group {
	uint64_t engine_bytes, device_bytes;
	bool is_unclear;
};

static struct group *add_groups(const struct merge *merge)
{
	struct group *groups = mem_new(merge->target_nodes + merge->devices_count, sizeof(*groups));

	for (uint32_t h = 0; h < merge->phase->hosts_count; h++)
		for (uint32_t t = 0; t < merge->phase->hosts[h].targets_count; t++)
			groups[find_group(merge, merge->first_nodes[h] + t)].engine_bytes +=
				devices_engine_bytes(&merge->phase->hosts[h].targets[t]);
	for (uint32_t d = 0; d < merge->devices_count; d++) {
		const struct merged *device = &merge->devices[d];
		struct group *group = &groups[find_group(merge, merge->target_nodes + d)];
		group->device_bytes +=
			moved(merge->phase, difference(device->read_after, device->read_before),
			      difference(device->written_after, device->written_before));
		if (device->is_unclear || (device->is_top && device->is_beneath) ||
		    merge->is_incomplete[device->kernel] ||
		    text_is(merge->phase->op, "trim")) /* which devices do not count */
			group->is_unclear = true;
	}
	return groups;
}

static double group_share(const struct group *group)
{
	if (group->is_unclear || !group->engine_bytes)
		return NAN;
	return (double)group->device_bytes / (double)group->engine_bytes;
}

/* ---- the whole ---- */

static void hand_over(struct merge *merge, const struct group *groups)
{
	for (uint32_t d = 0; d < merge->devices_count; d++) {
		struct merged *from = &merge->devices[d];
		struct result_phase_host *host = &merge->phase->hosts[from->host];
		struct result_device *into = RECORD_APPEND(host->devices, host->devices_count);
		*into = (struct result_device){
			.device = mem_text(from->device),
			.under = from->is_top ? NULL : mem_text(from->under),
			.targets = from->targets,
			.targets_count = from->targets_count,
			.bytes_read = difference(from->read_after, from->read_before),
			.bytes_written = difference(from->written_after, from->written_before),
			.share = NAN,
		};
		if (from->is_top)
			into->share =
				group_share(&groups[find_group(merge, merge->target_nodes + d)]);
	}
}

static void release(struct merge *merge)
{
	free(merge->counts);
	free(merge->kernels);
	free(merge->is_incomplete);
	free(merge->first_nodes);
	free(merge->devices);
	free(merge->parents);
}

void devices_merge(const struct result *result, struct result_phase *phase,
		   const struct done_device *const *counters, const uint32_t *counts)
{
	struct merge merge = {.phase = phase, .counters = counters};

	find_kernels(&merge, result, counts);
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t c = 0; c < merge.counts[h]; c++)
			if (counters[h][c].device) /* an agent can leave anything out */
				add_counter(&merge, h, &counters[h][c]);
	merge.parents = mem_new(merge.target_nodes + merge.devices_count, sizeof(*merge.parents));
	for (uint32_t n = 0; n < merge.target_nodes + merge.devices_count; n++)
		merge.parents[n] = n;
	for (uint32_t h = 0; h < phase->hosts_count; h++)
		for (uint32_t c = 0; c < merge.counts[h]; c++)
			if (counters[h][c].device)
				tie(&merge, h, &counters[h][c]);
	struct group *groups = add_groups(&merge);
	hand_over(&merge, groups);
	free(groups);
	release(&merge);
}

/* ---- questions ---- */

const struct result_target *devices_target(const struct result_phase *phase, uint32_t host,
					   const char *name)
{
	int target = find_target(&phase->hosts[host], name);

	if (target >= 0)
		return &phase->hosts[host].targets[target];
	/* A host's name may hold a colon itself. */
	for (uint32_t h = 0; name && h < phase->hosts_count; h++) {
		const struct result_phase_host *other = &phase->hosts[h];
		size_t length = other->host ? strlen(other->host) : 0;
		if (!length || strncmp(name, other->host, length) != 0 || name[length] != ':')
			continue;
		target = find_target(other, name + length + 1);
		if (target >= 0)
			return &other->targets[target];
	}
	return NULL;
}

static const struct result_device *find_under(const struct result_phase *phase, uint32_t host,
					      const struct result_target *target)
{
	for (uint32_t d = 0; d < phase->hosts[host].devices_count; d++) {
		const struct result_device *device = &phase->hosts[host].devices[d];
		for (uint32_t i = 0; !device->under && i < device->targets_count; i++)
			if (devices_target(phase, host, device->targets[i].name) == target)
				return device;
	}
	return NULL;
}

const struct result_device *devices_find(const struct result_phase *phase, uint32_t host,
					 const struct result_target *target)
{
	/* Nearly always it is the host's own; else a host before it named the device first. */
	const struct result_device *device = find_under(phase, host, target);

	for (uint32_t h = 0; !device && h < host; h++)
		device = find_under(phase, h, target);
	return device;
}

uint64_t devices_moved_bytes(const struct result_phase *phase, const struct result_device *device)
{
	return moved(phase, device->bytes_read, device->bytes_written);
}
