#include "controller/analysis/sanity_rules.h"

#include <math.h>

#include "common/text.h"
#include "common/units.h"
#include "controller/analysis/devices.h"
#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/analysis/model.h"

#define ALLOCATED_LEAST 0.90 /* of the size of a file */
#define PAGE            4096

/* A phase on a target of a host, measured or only asked for. */
struct subject {
	struct result *result;
	const struct result_phase *phase; /* where findings go */
	const struct phase *asked;
	const char *host; /* NULL: any */
	uint32_t index;   /* of the host, which is the same in nearly all phases */
	const struct result_host *about;
	const char *target;
	const struct fact_storage *storage;
	uint64_t extent;
	bool is_measured;
};

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
	char size[UNITS_TEXT_SIZE], ram[UNITS_TEXT_SIZE];

	if (!s->extent || !memory || !phase_moves_data(s->asked) ||
	    s->asked->cache == PHASE_CACHE_ALLOWED || s->extent >= SANITY_RAM_LEAST * memory)
		return;
	struct result_finding *finding = findings_add(
		s->result, "FILE_SMALLER_THAN_RAM", NULL, s->phase, s->host, s->target, NULL,
		"%s are less than twice the memory of %s, and %s",
		units_format_bytes(size, s->extent), units_format_bytes(ram, memory),
		s->asked->direct == PHASE_DIRECT_FALSE ? "the phase goes through it"
						       : "nothing tells what the devices moved");
	findings_figure(finding, "size_bytes", (double)s->extent);
	findings_figure(finding, "memory_bytes", (double)memory);
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

/* ---- what was written before ---- */

/* The size of the device where it is known: told, or that of a device that is used whole. */
static uint64_t device_size(const struct subject *s)
{
	const struct plan *plan = s->result->plan;

	if (s->storage && s->storage->device_size)
		return s->storage->device_size;
	for (uint32_t t = 0; plan && t < plan->targets_count; t++)
		if (text_is(plan->targets[t].name, s->target) && plan->targets[t].device &&
		    !plan->targets[t].size)
			return s->extent;
	return 0;
}

static bool wrote_all(const struct result_phase_host *host, const struct subject *s, uint64_t size)
{
	for (uint32_t t = 0; t < host->targets_count; t++)
		if (text_is(host->host, s->host) && text_is(host->targets[t].target, s->target) &&
		    host->targets[t].bytes_written >= size)
			return true;
	return false;
}

/* Whether a phase before this one wrote as much as the device holds. */
static bool was_filled(const struct subject *s, uint64_t size)
{
	for (const struct result_phase *p = s->result->phases; p < s->phase; p++)
		if (s->index < p->hosts_count && wrote_all(&p->hosts[s->index], s, size))
			return true;
	return false;
}

static bool is_unfilled(const struct subject *s, const struct result_target *target)
{
	uint64_t size = device_size(s), written = target->bytes_written + target->ramp_bytes;

	return s->asked->op == PHASE_OP_WRITE && size && written < size && !was_filled(s, size);
}

/* Once for a phase: a fleet of alike devices shows it everywhere. */
static void report_unfilled(const struct subject *first, const struct result_target *target,
			    uint32_t count)
{
	char written[UNITS_TEXT_SIZE], size[UNITS_TEXT_SIZE];
	uint64_t bytes = target->bytes_written + target->ramp_bytes;
	struct result_finding *finding = findings_add(
		first->result, "STEADY_STATE_NOT_SHOWN", NULL, first->phase,
		count == 1 ? first->host : NULL, count == 1 ? first->target : NULL, NULL,
		"%s were written to a device of %s that nothing had filled before%s",
		units_format_bytes(written, bytes), units_format_bytes(size, device_size(first)),
		count > 1 ? "; likewise on other targets of the phase" : "");

	findings_figure(finding, "written_bytes", (double)bytes);
	findings_figure(finding, "device_bytes", (double)device_size(first));
	findings_figure(finding, "targets", count);
}

/* Whether a phase before this one wrote to the target on the same host. */
static bool was_written(const struct subject *s)
{
	for (const struct result_phase *p = s->result->phases; p < s->phase; p++)
		if (s->index < p->hosts_count && wrote_all(&p->hosts[s->index], s, 1))
			return true;
	return false;
}

static bool is_device(const struct result *result, const char *name)
{
	for (uint32_t t = 0; result->plan && t < result->plan->targets_count; t++)
		if (text_is(result->plan->targets[t].name, name))
			return result->plan->targets[t].device != NULL;
	return false;
}

/* Once for a phase, of its first such target. */
static void report_unwritten(const struct subject *s)
{
	findings_add(s->result, "READ_BEFORE_WRITE", NULL, s->phase, NULL, s->target, NULL,
		     "the device is read, and nothing in this run wrote it before");
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
			if (s.asked->op == PHASE_OP_READ && is_device(result, s.target) &&
			    !was_written(&s) && !unwritten++)
				report_unwritten(&s);
			if (is_unfilled(&s, target) && !unfilled++) {
				first = s;
				first_target = target;
			}
		}
	}
	if (unfilled)
		report_unfilled(&first, first_target, unfilled);
}

/* ---- storage by itself ---- */

static void check_alignment(struct result *result, const char *host,
			    const struct fact_storage *storage)
{
	uint64_t of_page = storage->offset % PAGE;
	uint64_t of_stripe = storage->stripe_unit ? storage->offset % storage->stripe_unit : 0;

	if (!storage->has_offset)
		return;
	if (of_stripe) {
		struct result_finding *finding = findings_add(
			result, "MISALIGNED_STRIPE", NULL, NULL, host, storage->target, NULL,
			"it begins at byte %llu, %llu bytes after a border of stripe units of %llu",
			(unsigned long long)storage->offset, (unsigned long long)of_stripe,
			(unsigned long long)storage->stripe_unit);
		findings_figure(finding, "remainder_bytes", (double)of_stripe);
	}
	if (of_page) {
		struct result_finding *finding = findings_add(
			result, "MISALIGNED_4K", NULL, NULL, host, storage->target, NULL,
			"it begins at byte %llu, %llu bytes after a multiple of 4,096",
			(unsigned long long)storage->offset, (unsigned long long)of_page);
		findings_figure(finding, "remainder_bytes", (double)of_page);
	}
}

static void check_geometry(struct result *result, const char *host,
			   const struct fact_storage *storage)
{
	double data = model_media(storage->level, storage->disks, 1, false);
	bool unit = storage->layout_unit && storage->stripe_unit &&
		    storage->layout_unit != storage->stripe_unit;
	bool width = storage->layout_width && storage->stripe_unit && data > 0 &&
		     (double)storage->layout_width != data * (double)storage->stripe_unit;

	if (!unit && !width)
		return;
	double factor =
		storage->layout_unit
			? (double)storage->layout_unit / (double)storage->stripe_unit
			: (double)storage->layout_width / (data * (double)storage->stripe_unit);
	struct result_finding *finding = findings_add(
		result, "STRIPE_GEOMETRY_MISMATCH", NULL, NULL, host, storage->target, NULL,
		"the file system was made for stripe units of %llu and a width of %llu, the units "
		"beneath are of %llu: %g times%s",
		(unsigned long long)storage->layout_unit, (unsigned long long)storage->layout_width,
		(unsigned long long)storage->stripe_unit, factor,
		factor == 8 || factor == 0.125
			? ", as if blocks had been taken for sectors or the other way round"
			: "");
	findings_figure(finding, "factor", factor);
}

/* `host` NULL: of all. */
static void check_hardware(struct result *result, const char *host, const struct hardware *hardware)
{
	for (uint32_t i = 0; i < hardware->storage_count; i++) {
		check_alignment(result, host, &hardware->storage[i]);
		check_geometry(result, host, &hardware->storage[i]);
	}
}

void sanity_rules_check(struct result *result)
{
	for (uint32_t p = 0; p < result->phases_count; p++)
		check_phase(result, &result->phases[p]);
	struct known known = known_of(result, NULL);
	check_hardware(result, NULL, &known.fleet);
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (result->hosts[h].expect)
			check_hardware(result, result->hosts[h].host, result->hosts[h].expect);
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
		if (asked->direct == PHASE_DIRECT_FALSE) {
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
