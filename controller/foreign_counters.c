#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "controller/analysis/counter.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/foreign_inside.h"

/* A device of a host with all that was counted on it. */
struct counted {
	const char *device, *under;
	bool has[FOREIGN_COUNTS], wrapped[FOREIGN_COUNTS], backward;
	uint64_t difference[FOREIGN_COUNTS];
	struct name *targets;
	uint32_t targets_count;
};

struct host_counts {
	struct counted *devices;
	uint32_t count;
};

static struct counted *get_device(struct host_counts *host, const struct foreign_counter *from)
{
	for (uint32_t d = 0; d < host->count; d++)
		if (text_is(host->devices[d].device, from->device))
			return &host->devices[d];
	struct counted *device = RECORD_APPEND(host->devices, host->count);
	*device = (struct counted){.device = from->device, .under = from->under};
	return device;
}

static void add_target(struct counted *device, const char *name)
{
	for (uint32_t t = 0; t < device->targets_count; t++)
		if (text_is(device->targets[t].name, name))
			return;
	struct name *entry = RECORD_APPEND(device->targets, device->targets_count);
	entry->name = mem_text(name);
}

static void report_backward(const struct build *build, const char *host,
			    const struct foreign_counter *from)
{
	findings_add(build->result, "COUNTER_BACKWARDS", NULL, build->phase, host, NULL, NULL,
		     "%s, line %u: '%s' of device '%s' fell from %llu to %llu; what moved on the "
		     "device is not known",
		     build->measured->counters, from->line, foreign_count_names[from->counter],
		     from->device, (unsigned long long)from->before,
		     (unsigned long long)from->after);
}

static void add_counter(const struct build *build, const char *host, struct counted *device,
			const struct foreign_counter *from)
{
	uint32_t kind = from->counter;

	device->has[kind] = true;
	if (!counter_difference(from->before, from->after, &device->difference[kind],
				&device->wrapped[kind])) {
		device->backward = true;
		report_backward(build, host, from);
	}
	if (from->target)
		add_target(device, from->target);
	for (uint32_t t = 0; !from->target && t < build->asked->targets_count; t++)
		add_target(device, build->asked->targets[t].name);
}

/* ---- wraps ---- */

static double mean_ms(const struct counted *device, enum foreign_count ms,
		      enum foreign_count number)
{
	return device->has[ms] && device->difference[number]
		       ? (double)device->difference[ms] / (double)device->difference[number]
		       : NAN;
}

static void report_wraps(struct build *build, const char *host, const struct counted *device)
{
	double mean = fmax(mean_ms(device, FOREIGN_COUNT_WRITE_MS, FOREIGN_COUNT_WRITES),
			   mean_ms(device, FOREIGN_COUNT_READ_MS, FOREIGN_COUNT_READS));

	for (uint32_t kind = 0; kind < FOREIGN_COUNTS; kind++) {
		if (!device->wrapped[kind])
			continue;
		struct result_finding *finding = findings_add(
			build->result, "COUNTER_WRAP", NULL, build->phase, host, NULL, NULL,
			"'%s' of device '%s' went beyond 2^32 and began again: it grew by %llu",
			foreign_count_names[kind], device->device,
			(unsigned long long)device->difference[kind]);
		findings_figure(finding, "difference", (double)device->difference[kind]);
		if (!isnan(mean))
			findings_figure(finding, "mean_ms", mean);
	}
}

/* ---- bytes ---- */

static uint64_t bytes_of(const struct counted *device, enum foreign_count bytes,
			 enum foreign_count sectors)
{
	return device->has[bytes] ? device->difference[bytes] : 512 * device->difference[sectors];
}

static bool has_bytes(const struct counted *device)
{
	return device->has[FOREIGN_COUNT_BYTES_READ] || device->has[FOREIGN_COUNT_BYTES_WRITTEN] ||
	       device->has[FOREIGN_COUNT_SECTORS_READ] ||
	       device->has[FOREIGN_COUNT_SECTORS_WRITTEN];
}

/* As an agent would have told it. Shares what `host` owns. */
static struct done_device *to_done(const struct host_counts *host, uint32_t *count)
{
	struct done_device *devices = mem_new(host->count, sizeof(*devices));

	*count = 0;
	for (uint32_t d = 0; d < host->count; d++) {
		const struct counted *from = &host->devices[d];
		if (!has_bytes(from))
			continue;
		devices[(*count)++] = (struct done_device){
			.device = (char *)from->device,
			.under = (char *)from->under,
			.targets = from->targets,
			.targets_count = from->targets_count,
			/* one that ran backwards makes the share unknown */
			.read_before = from->backward ? 1 : 0,
			.read_after = from->backward ? 0
						     : bytes_of(from, FOREIGN_COUNT_BYTES_READ,
								FOREIGN_COUNT_SECTORS_READ),
			.written_after = bytes_of(from, FOREIGN_COUNT_BYTES_WRITTEN,
						  FOREIGN_COUNT_SECTORS_WRITTEN),
		};
	}
	return devices;
}

static void merge(struct build *build, const struct host_counts *hosts)
{
	uint32_t count = build->phase->hosts_count;
	struct done_device **devices = mem_new(count, sizeof(struct done_device *));
	uint32_t *counts = mem_new(count, sizeof(*counts));

	for (uint32_t h = 0; h < count; h++)
		devices[h] = to_done(&hosts[h], &counts[h]);
	devices_merge(build->result, build->phase, (const struct done_device *const *)devices,
		      counts);
	for (uint32_t h = 0; h < count; h++)
		free(devices[h]);
	free(devices);
	free(counts);
}

static void release(struct host_counts *hosts, uint32_t count)
{
	for (uint32_t h = 0; h < count; h++) {
		for (uint32_t d = 0; d < hosts[h].count; d++) {
			struct counted *device = &hosts[h].devices[d];
			for (uint32_t t = 0; t < device->targets_count; t++)
				free(device->targets[t].name);
			free(device->targets);
		}
		free(hosts[h].devices);
	}
	free(hosts);
}

void foreign_add_counters(struct build *build)
{
	const struct foreign_measured *m = build->measured;
	uint32_t count = build->phase->hosts_count;

	if (!m->counts_count)
		return;
	struct host_counts *hosts = mem_new(count, sizeof(*hosts));
	for (uint32_t i = 0; i < m->counts_count; i++) {
		uint32_t h = foreign_host_index(build, m->counts[i].host);
		if (h != UINT32_MAX)
			add_counter(build, build->phase->hosts[h].host,
				    get_device(&hosts[h], &m->counts[i]), &m->counts[i]);
	}
	for (uint32_t h = 0; h < count; h++)
		for (uint32_t d = 0; d < hosts[h].count; d++)
			report_wraps(build, build->phase->hosts[h].host, &hosts[h].devices[d]);
	merge(build, hosts);
	release(hosts, count);
}
