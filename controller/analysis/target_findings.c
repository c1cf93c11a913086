#include "controller/analysis/target_findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/window.h"

/* The limits are those of the catalogue. */
#define SHARE_LEAST 0.95 /* below: bytes came from memory, or stayed there */
#define SHARE_MOST  1.10 /* above: the devices did more than they were asked */

/* "; 12 read: Input/output error, from offset 4096; ..." */
static char *list_errors(const struct result_target *target)
{
	char *list = mem_text("");

	for (uint32_t i = 0; i < target->io_errors_count; i++) {
		const struct io_error *e = &target->io_errors[i];
		char *longer =
			mem_format("%s; %llu %s: %s, the first at offset %llu", list,
				   (unsigned long long)e->count, text_or(e->op, "?"),
				   text_or(e->error, "?"), (unsigned long long)e->first_offset);
		free(list);
		list = longer;
	}
	return list;
}

static void check_errors(struct result *result, const struct result_phase *phase,
			 const struct result_phase_host *host, const struct result_target *target)
{
	if (target->errors) {
		char *list = list_errors(target);
		struct result_finding *finding = findings_add(
			result, "IO_ERRORS", NULL, phase, host->host, target->target, NULL,
			"%llu I/O errors beside %llu operations%s%s%s",
			(unsigned long long)target->errors, (unsigned long long)target->operations,
			list, target->first_error ? "; the first: " : "",
			text_or(target->first_error, ""));
		free(list);
		findings_figure(finding, "errors", (double)target->errors);
		findings_figure(finding, "operations", (double)target->operations);
	}
	if (!target->operations && window_host_is_complete(host))
		findings_add(result, "NO_IO", NULL, phase, host->host, target->target, NULL,
			     "not one operation was completed on this target outside the ramp");
}

static void check_miscompares(struct result *result, const struct result_phase *phase,
			      const struct result_phase_host *host,
			      const struct result_target *target)
{
	const struct miscompares *m = &target->miscompares;
	const struct {
		uint64_t count;
		const char *name;
	} kinds[] = {{m->stale, miscompare_names[MISCOMPARE_STALE]},
		     {m->misdirected, miscompare_names[MISCOMPARE_MISDIRECTED]},
		     {m->torn, miscompare_names[MISCOMPARE_TORN]},
		     {m->zeros, miscompare_names[MISCOMPARE_ZEROS]},
		     {m->bit_flips, miscompare_names[MISCOMPARE_BIT_FLIPS]},
		     {m->foreign, miscompare_names[MISCOMPARE_FOREIGN]}};
	char counts[256] = "";
	size_t used = 0;

	if (!m->blocks)
		return;
	for (size_t i = 0; i < MISCOMPARE_KINDS; i++)
		if (kinds[i].count)
			used += (size_t)snprintf(counts + used, sizeof(counts) - used, "%s%s %llu",
						 used ? ", " : "", kinds[i].name,
						 (unsigned long long)kinds[i].count);
	struct result_finding *finding = findings_add(
		result, "MISCOMPARE", NULL, phase, host->host, target->target, NULL,
		"%llu block%s not as written (%s); the first: %s; evidence on the host: %s",
		(unsigned long long)m->blocks, m->blocks == 1 ? " read was" : "s read were", counts,
		text_or(m->first, "not told"), text_or(m->evidence, "none"));
	findings_figure(finding, "blocks", (double)m->blocks);
	findings_figure(finding, "verified_bytes", (double)m->verified_bytes);
}

static void check_kind(struct result *result, const struct result_phase *phase,
		       const struct result_phase_host *host, const struct result_target *target)
{
	const char *system = target->file_system ? target->file_system : "the device";
	bool moves = !text_is(phase->op, "trim") && !text_is(phase->op, "idle");

	if (target->ram)
		findings_add(result, "RAM_TARGET", NULL, phase, host->host, target->target, NULL,
			     "the target is held in memory (%s); allow_ram let it pass", system);
	if (target->no_topology)
		findings_add(
			result, "TOPOLOGY_UNKNOWN", NULL, phase, host->host, target->target, NULL,
			"the host's system says nothing of the device beneath (%s): neither its "
			"sectors, nor what it is made of",
			system);
	if (text_is(target->io, "buffered") && moves)
		findings_add(result, "BUFFERED_PHASE", NULL, phase, host->host, target->target,
			     NULL, "I/O went through the page cache (%s)", system);
	if (text_is(target->io, "written through"))
		findings_add(result, "WRITTEN_THROUGH", NULL, phase, host->host, target->target,
			     NULL,
			     "%s accepts direct I/O but may copy it through memory; the bytes "
			     "reach the device before a write returns",
			     system);
}

static bool moved_anything(const struct result_target *target)
{
	return devices_engine_bytes(target) > 0;
}

static void report_low_share(struct result *result, const struct result_phase *phase,
			     const struct result_phase_host *host,
			     const struct result_target *target, double share)
{
	const struct phase *plan = result_plan_phase(result, phase->name);
	bool allowed = plan && plan->cache == PHASE_CACHE_ALLOWED;

	struct result_finding *finding;
	double from_devices = share * target->throughput_bytes_per_s;
	char rate[UNITS_TEXT_SIZE] = "";

	if (text_is(phase->op, "write") || text_is(phase->op, "fill")) {
		finding = findings_add(result, "WRITE_NOT_ON_DEVICE", NULL, phase, host->host,
				       target->target, NULL,
				       "after the phase %.1f %% of the bytes written were on the "
				       "devices of its group",
				       100 * share);
		findings_figure(finding, "device_share", share);
		return;
	}
	if (from_devices >= 0)
		units_format_rate(rate, from_devices);
	finding = findings_add(result, "CACHE_SERVED", allowed ? "NOTE" : "INVALID", phase,
			       host->host, target->target, allowed ? "" : NULL,
			       "%.1f %% of the bytes moved on the devices of its group, the rest "
			       "was served from memory%s%s",
			       100 * share, *rate ? ": the devices gave " : "", rate);
	findings_figure(finding, "device_share", share);
	if (*rate)
		findings_figure(finding, "device_bytes_per_s", from_devices);
}

static void check_devices(struct result *result, const struct result_phase *phase, uint32_t index,
			  const struct result_target *target)
{
	const struct result_phase_host *host = &phase->hosts[index];
	const struct result_device *device = devices_find(phase, index, target);

	/* Devices do not count what is given back. */
	if (!moved_anything(target) || text_is(target->io, "none") || text_is(phase->op, "trim"))
		return;
	if (!device)
		findings_add(result, "NO_DEVICE_COUNTERS", NULL, phase, host->host, target->target,
			     NULL,
			     "the devices beneath (%s) are not known, so neither is whether the "
			     "bytes moved on them",
			     target->file_system ? target->file_system : "no file system");
	else if (device->share < SHARE_LEAST)
		report_low_share(result, phase, host, target, device->share);
	else if (device->share > SHARE_MOST)
		findings_figure(findings_add(result, "DEVICE_MOVED_MORE", NULL, phase, host->host,
					     target->target, NULL,
					     "the devices of its group moved %.2f times what the "
					     "engine did",
					     device->share),
				"device_share", device->share);
}

void target_findings_compute(struct result *result, const struct result_phase *phase)
{
	if (text_is(phase->op, "idle"))
		return;
	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t t = 0; t < host->targets_count; t++) {
			const struct result_target *target = &host->targets[t];
			check_errors(result, phase, host, target);
			check_miscompares(result, phase, host, target);
			check_kind(result, phase, host, target);
			if (window_host_is_complete(host))
				check_devices(result, phase, h, target);
		}
	}
}
