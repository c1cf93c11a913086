#include "controller/analysis/sanity_rules.h"

#include <math.h>
#include <stdio.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/hardware_rules.h"
#include "controller/analysis/known.h"
#include "controller/analysis/model.h"
#include "controller/analysis/sanity_inside.h"

#define ALLOCATED_LEAST 0.90 /* of the size of a file */

/* ---- memory ---- */

static uint64_t memory_of(const struct result_host *about)
{
	uint64_t limit = about ? about->memory_limit_bytes : 0;
	uint64_t memory = about ? about->memory_bytes : 0;

	return limit && limit < memory ? limit : memory;
}

static void check_memory(const struct subject *s)
{
	uint64_t memory = memory_of(s->about);
	double share = model_hit_share((double)memory, (double)s->extent);
	char size[UNITS_TEXT_SIZE], ram[UNITS_TEXT_SIZE], of_random[96] = "";

	if (!s->extent || !memory || !phase_moves_data(s->asked) ||
	    s->asked->cache == PHASE_CACHE_ALLOWED || s->extent >= SANITY_RAM_LEAST * memory)
		return;
	if (s->asked->access == PHASE_ACCESS_RANDOM && !phase_writes(s->asked))
		snprintf(of_random, sizeof(of_random),
			 ": a cache as large would serve %.0f %% of its reads", 100 * share);
	struct result_finding *finding = findings_add(
		s->result, "FILE_SMALLER_THAN_RAM", NULL, s->phase, s->host, s->target, NULL,
		"%s are less than twice the memory of %s, and %s%s",
		units_format_bytes(size, s->extent), units_format_bytes(ram, memory),
		s->asked->direct == PHASE_DIRECT_FALSE ? "the phase goes through it"
						       : "nothing tells what the devices moved",
		of_random);
	findings_figure(finding, "size_bytes", (double)s->extent);
	findings_figure(finding, "memory_bytes", (double)memory);
	if (*of_random)
		findings_figure(finding, "hit_share", share);
}

/* ---- data ---- */

static void check_fill(const struct subject *s)
{
	bool shrinks = s->storage->compression || s->storage->dedup;

	if (!phase_writes(s->asked) || s->storage->fill < FACT_FILL_ZEROS)
		return;
	const char *what = s->storage->fill == FACT_FILL_ZEROS ? "zeros" : "a pattern that repeats";
	if (shrinks)
		findings_add(s->result, "COMPRESSIBLE_PATTERN", NULL, s->phase, s->host, s->target,
			     NULL,
			     "%s were written where something beneath %s: hardly any of it "
			     "reaches the disks",
			     what, s->storage->compression ? "compresses" : "deduplicates");
	else
		findings_add(s->result, "LOW_ENTROPY_PATTERN", NULL, s->phase, s->host, s->target,
			     NULL,
			     "%s were written; a drive or controller that compresses without "
			     "saying so would not write it",
			     what);
}

static void check_arc(const struct subject *s)
{
	uint64_t arc = s->about ? s->about->arc_most_bytes : 0;
	uint64_t taken = s->storage->allocated ? s->storage->allocated : s->extent;
	char size[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	if (!arc || !taken || taken >= arc || s->asked->op == PHASE_OP_WRITE)
		return;
	struct result_finding *finding =
		findings_add(s->result, "FITS_IN_ARC", NULL, s->phase, s->host, s->target, NULL,
			     "what is read takes %s, and ZFS keeps up to %s in memory",
			     units_format_bytes(size, taken), units_format_bytes(most, arc));
	findings_figure(finding, "allocated_bytes", (double)taken);
	findings_figure(finding, "arc_most_bytes", (double)arc);
}

static void check_allocated(const struct subject *s)
{
	const struct fact_storage *storage = s->storage;
	double share = (double)storage->allocated / (double)storage->file_size;
	char size[UNITS_TEXT_SIZE], taken[UNITS_TEXT_SIZE];

	if (!storage->allocated || s->asked->op == PHASE_OP_WRITE || share >= ALLOCATED_LEAST)
		return;
	bool shrinks = storage->compression || storage->dedup;
	struct result_finding *finding = findings_add(
		s->result, shrinks ? "COMPRESSED_TEST_FILE" : "UNWRITTEN_REGIONS", NULL, s->phase,
		s->host, s->target, NULL, "the test files of %s take %s, %.1f %% of it: %s",
		units_format_bytes(size, storage->file_size),
		units_format_bytes(taken, storage->allocated), 100 * share,
		shrinks ? "their data was made smaller, and so is what is read"
			: "the rest was never written, and nothing is read there");
	findings_figure(finding, "logical_bytes", (double)storage->file_size);
	findings_figure(finding, "allocated_bytes", (double)storage->allocated);
	findings_figure(finding, "share", share);
}

/* ---- blocks ---- */

static void check_blocks(const struct subject *s)
{
	uint64_t block = s->asked->block_size, logical = s->storage->logical_block;
	uint64_t physical = s->storage->physical_block;
	bool direct = s->asked->direct != PHASE_DIRECT_FALSE;

	if (logical && direct && block % logical && !s->is_measured) {
		struct result_finding *finding = findings_add(
			s->result, "BLOCK_NOT_MULTIPLE_OF_LBA", NULL, s->phase, s->host, s->target,
			NULL,
			"block_size is %llu, and the device takes multiples of %llu bytes only",
			(unsigned long long)block, (unsigned long long)logical);
		findings_figure(finding, "block_bytes", (double)block);
		findings_figure(finding, "logical_block_bytes", (double)logical);
	} else if (physical && block % physical && phase_writes(s->asked)) {
		struct result_finding *finding = findings_add(
			s->result, "SUB_PHYSICAL_BLOCK", NULL, s->phase, s->host, s->target, NULL,
			"block_size is %llu, and the device writes %llu bytes at once: it reads, "
			"changes and writes the rest",
			(unsigned long long)block, (unsigned long long)physical);
		findings_figure(finding, "block_bytes", (double)block);
		findings_figure(finding, "physical_block_bytes", (double)physical);
	}
}

static void check_space(const struct subject *s)
{
	const struct fact_storage *storage = s->storage;
	char need[UNITS_TEXT_SIZE], is_free[UNITS_TEXT_SIZE];

	if (s->is_measured)
		return;
	if (storage->has_free_bytes && s->extent > storage->free_bytes) {
		struct result_finding *finding = findings_add(
			s->result, "INSUFFICIENT_SPACE", NULL, s->phase, s->host, s->target, NULL,
			"%s are needed and %s are free", units_format_bytes(need, s->extent),
			units_format_bytes(is_free, storage->free_bytes));
		findings_figure(finding, "needed_bytes", (double)s->extent);
		findings_figure(finding, "free_bytes", (double)storage->free_bytes);
	}
	if (storage->has_free_inodes && storage->files > storage->free_inodes) {
		struct result_finding *finding = findings_add(
			s->result, "INSUFFICIENT_INODES", NULL, s->phase, s->host, s->target, NULL,
			"%u files are needed and %llu inodes are free", storage->files,
			(unsigned long long)storage->free_inodes);
		findings_figure(finding, "needed_inodes", storage->files);
		findings_figure(finding, "free_inodes", (double)storage->free_inodes);
	}
}

/* ---- subjects ---- */

static const struct fact_storage *storage_of(const struct result *result, uint32_t h,
					     const char *host, const char *target)
{
	struct known known = known_of(result, result_find_host(result, h, host));

	return known_storage(&known, target);
}

static void check_storage(const struct subject *s)
{
	if (!s->storage)
		return;
	check_fill(s);
	check_allocated(s);
	check_arc(s);
	check_blocks(s);
	check_space(s);
}

/* Whether what the devices moved proves that it was not memory. */
static bool is_proven(const struct result_phase *phase, uint32_t h,
		      const struct result_target *target)
{
	const struct result_device *device = devices_find(phase, h, target);

	return device && !isnan(device->share);
}

static void check_phase(struct result *result, const struct result_phase *phase)
{
	struct subject first = {0};
	const struct result_target *first_target = NULL;
	uint32_t unfilled = 0, unwritten = 0;

	for (uint32_t h = 0; h < phase->hosts_count; h++) {
		const struct result_phase_host *host = &phase->hosts[h];
		for (uint32_t t = 0; t < host->targets_count; t++) {
			const struct result_target *target = &host->targets[t];
			struct subject s = {
				.result = result,
				.phase = phase,
				.asked = result_plan_phase(result, phase->name),
				.host = host->host,
				.index = h,
				.about = result_find_host(result, h, host->host),
				.target = target->target,
				.storage = storage_of(result, h, host->host, target->target),
				.extent = target->extent_bytes,
				.is_measured = true,
			};
			if (!s.asked || text_is(target->io, "none"))
				continue;
			if (!target->ram &&
			    (text_is(target->io, "buffered") || !is_proven(phase, h, target)))
				check_memory(&s);
			check_storage(&s);
			if (s.asked->op == PHASE_OP_READ && sanity_is_device(result, s.target) &&
			    !sanity_was_written(&s) && !unwritten++)
				sanity_report_unwritten(&s);
			if (sanity_is_unfilled(&s, target) && !unfilled++) {
				first = s;
				first_target = target;
			}
		}
	}
	if (unfilled)
		sanity_report_unfilled(&first, first_target, unfilled);
}

void sanity_rules_check(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_phase(result, &result->phases[p]);
	hardware_rules_check(result);
}

/* ---- plans ---- */

static bool was_measured(const struct result *result, const char *name)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		if (text_is(result->phases[p].name, name))
			return true;
	return false;
}

static uint64_t planned_extent(const struct plan *plan, const struct phase *asked,
			       const char *target, const struct result_host *about)
{
	const char *size = asked->size;

	for (uint32_t t = 0; t < plan->targets_count; t++)
		if (text_is(plan->targets[t].name, target) && plan->targets[t].size)
			size = plan->targets[t].size;
	return plan_size_bytes(size, about ? about->memory_bytes : 0);
}

static void check_planned(struct result *result, const struct phase *asked,
			  const struct result_host *about)
{
	/* A place to point at: nothing of it is in the result. */
	struct result_phase phase = {.name = asked->name, .trial = 1};
	struct known known = known_of(result, about);

	for (uint32_t t = 0; t < asked->targets_count; t++) {
		const char *target = asked->targets[t].name;
		struct subject s = {
			.result = result,
			.phase = &phase,
			.asked = asked,
			.host = about ? about->host : NULL,
			.about = about,
			.target = target,
			.storage = known_storage(&known, target),
			.extent = planned_extent(result->plan, asked, target, about),
		};
		if (s.storage && s.storage->file_size)
			s.extent = s.storage->file_size;
		if (asked->direct == PHASE_DIRECT_FALSE && phase_moves_data(asked)) {
			findings_add(result, "BUFFERED_PHASE", NULL, &phase, s.host, target, NULL,
				     "I/O will go through the page cache");
			check_memory(&s);
		}
		check_storage(&s);
	}
}

void sanity_rules_check_plan(struct result *result)
{
	const struct plan *plan = result->plan;

	for (uint32_t p = 0; plan && p < plan->phases_count; p++) {
		if (was_measured(result, plan->phases[p].name))
			continue;
		for (uint32_t h = 0; h < result->hosts_count; h++)
			check_planned(result, &plan->phases[p], &result->hosts[h]);
		if (!result->hosts_count)
			check_planned(result, &plan->phases[p], NULL);
	}
}
