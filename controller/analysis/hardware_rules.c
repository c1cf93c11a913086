#include "controller/analysis/hardware_rules.h"

#include "controller/analysis/findings.h"
#include "controller/analysis/known.h"
#include "controller/analysis/model.h"

#define PAGE 4096

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

void hardware_rules_check(struct result *result)
{
	struct known known = known_of(result, NULL);

	check_hardware(result, NULL, &known.fleet);
	for (uint32_t h = 0; h < result->hosts_count; h++)
		if (result->hosts[h].expect)
			check_hardware(result, result->hosts[h].host, result->hosts[h].expect);
}
