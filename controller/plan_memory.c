#include "controller/plan_memory.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/units.h"
#include "controller/collect.h"
#include "proto/phase_memory.h"

#define ALIGNMENT 4096
#define HOUR_NS   (3600 * NS_PER_S)

static bool is_laid_out(const struct phase *phase, const struct target *target)
{
	return phase->op != PHASE_OP_WRITE && target && target->path;
}

/* Files that may have to be laid out: those of a stripe are its parts. */
static uint64_t files_of(const struct plan_host *host, const struct phase *phase,
			 const struct target *target)
{
	uint64_t files = is_laid_out(phase, target);

	for (uint32_t i = 0; i < target->stripe_count; i++)
		files += is_laid_out(phase, plan_host_target(host, target->stripe[i].name));
	return files;
}

static uint64_t host_bytes(const struct plan *plan, const struct plan_host *host,
			   const struct phase *phase)
{
	struct phase_memory memory = {0};

	for (uint32_t i = 0; i < phase->targets_count; i++) {
		const struct target *target = plan_host_target(host, phase->targets[i].name);
		if (!target)
			continue;
		const struct phase_memory_target shape = {
			.parts = target_is_stripe(target) ? target->stripe_count : 1,
			.stripe_unit = target->stripe_unit,
			.alignment = ALIGNMENT,
		};
		phase_memory_add(&memory, phase, plan->bucket, &shape);
		phase_memory_add_layout(&memory, files_of(host, phase, target));
	}
	return phase_memory_total(&memory);
}

static uint64_t targets_of(const struct plan_host *host, const struct phase *phase)
{
	uint64_t targets = 0;

	for (uint32_t i = 0; i < phase->targets_count; i++)
		targets += plan_host_target(host, phase->targets[i].name) != NULL;
	return targets;
}

/* What the controller keeps of one trial of a phase that takes so long. */
static uint64_t kept_bytes(const struct plan *plan, const struct plan_hosts *hosts,
			   const struct phase *phase, uint64_t length_ns)
{
	uint64_t buckets = length_ns / plan->bucket + 1, bytes = 0;

	for (uint32_t h = 0; h < hosts->count; h++)
		bytes += collect_memory(buckets, targets_of(&hosts->hosts[h], phase));
	return bytes;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct plan_memory plan_memory(const struct plan *plan, const struct plan_hosts *hosts)
{
	struct plan_memory memory = {0};

	for (uint32_t p = 0; p < plan->phases_count; p++) {
		const struct phase *phase = &plan->phases[p];
		uint64_t length = phase_ramp_ns(phase, plan->bucket) + phase->runtime;
		for (uint32_t h = 0; h < hosts->count; h++) {
			uint64_t bytes = host_bytes(plan, &hosts->hosts[h], phase);
			if (bytes <= memory.host_bytes)
				continue;
			memory.host_bytes = bytes;
			memory.host = hosts->hosts[h].name;
			memory.phase = phase->name;
		}
		if (phase->runtime)
			memory.controller_bytes +=
				plan->repeat * kept_bytes(plan, hosts, phase, length);
		else
			memory.hour_bytes =
				larger(memory.hour_bytes, kept_bytes(plan, hosts, phase, HOUR_NS));
	}
	return memory;
}

void plan_memory_print(const struct plan *plan)
{
	char most[UNITS_TEXT_SIZE], kept[UNITS_TEXT_SIZE], hour[UNITS_TEXT_SIZE];
	struct plan_hosts hosts;

	plan_hosts_expand(&hosts, plan);
	struct plan_memory memory = plan_memory(plan, &hosts);
	printf("memory: an agent takes at most %s (phase '%s' on '%s'), however long it takes; the "
	       "controller keeps %s of timelines",
	       units_format_bytes(most, memory.host_bytes), memory.phase ? memory.phase : "",
	       memory.host ? memory.host : "", units_format_bytes(kept, memory.controller_bytes));
	if (memory.hour_bytes)
		printf(", and %s for each hour of a phase without runtime",
		       units_format_bytes(hour, memory.hour_bytes));
	printf("\n");
	plan_hosts_release(&hosts);
}
