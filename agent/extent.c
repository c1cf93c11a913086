#include "agent/extent.h"

#include "common/units.h"

/* What one readv takes on every system that we know (IOV_MAX). */
#define MOST_VECTORS 1024

/* Offsets are signed in every system's calls. */

static int refuse(const struct load_target *target, struct error *err)
{
	error_prefix(err, "target '%s'", target->target->name);
	return -1;
}

static uint64_t smallest_part(const struct load_target *target)
{
	uint64_t smallest = UINT64_MAX;

	for (uint32_t i = 0; i < target->parts_count; i++)
		if (target->parts[i]->extent_bytes < smallest)
			smallest = target->parts[i]->extent_bytes;
	return smallest;
}

static int measure(struct load_target *target, const struct phase *phase, struct error *err)
{
	uint64_t size = target->target->size_bytes;

	target->extent_bytes = stripe_extent(&target->stripe, smallest_part(target));
	if (target_is_stripe(target->target) && size && size < target->extent_bytes)
		target->extent_bytes = size;
	if (target->extent_bytes > PHASE_BYTES_MOST) {
		error_set(err, ERROR_REFUSED, "an extent of %llu bytes is too large: most is %llu",
			  (unsigned long long)target->extent_bytes,
			  (unsigned long long)PHASE_BYTES_MOST);
		return refuse(target, err);
	}
	target->used_bytes = target->extent_bytes;
	if (phase->size_bytes && phase->size_bytes < target->used_bytes)
		target->used_bytes = phase->size_bytes;
	target->used_bytes -= target->used_bytes % phase->block_size;
	return 0;
}

static int check_blocks(const struct load_target *target, const struct phase *phase,
			struct error *err)
{
	uint64_t blocks = target->used_bytes / phase->block_size;
	char block[UNITS_TEXT_SIZE];

	if (blocks >= phase->workers)
		return 0;
	units_format_exact(block, phase->block_size);
	if (blocks)
		error_set(err, ERROR_REFUSED,
			  "%llu block%s of %s for %u workers: use a larger size, a smaller "
			  "block_size, or at most %llu worker%s",
			  (unsigned long long)blocks, blocks == 1 ? "" : "s", block, phase->workers,
			  (unsigned long long)blocks, blocks == 1 ? "" : "s");
	else
		error_set(
			err, ERROR_REFUSED,
			"it has %llu bytes, which is less than one block of %s: use a larger size "
			"or a smaller block_size",
			(unsigned long long)target->extent_bytes, block);
	return refuse(target, err);
}

static int check_pieces(const struct load_target *target, const struct phase *phase,
			struct error *err)
{
	uint64_t pieces = stripe_vectors(&target->stripe, phase->block_size);

	if (target->parts_count == 1)
		return 0;
	if (target->stripe.unit % 512) {
		error_set(err, ERROR_REFUSED,
			  "stripe_unit %llu is not a multiple of 512 bytes: the nearest is %llu",
			  (unsigned long long)target->stripe.unit,
			  (unsigned long long)(target->stripe.unit + 511) / 512 * 512);
		return refuse(target, err);
	}
	if (pieces <= MOST_VECTORS)
		return 0;
	error_set(err, ERROR_REFUSED,
		  "a block of %llu bytes over a stripe_unit of %llu is up to %llu pieces on one "
		  "part and the system takes %d: use a larger stripe_unit or a smaller block_size",
		  (unsigned long long)phase->block_size, (unsigned long long)target->stripe.unit,
		  (unsigned long long)pieces, MOST_VECTORS);
	return refuse(target, err);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* A part may be used by itself and by stripes in one phase: what all of them need. */
static void use_parts(const struct load_target *target)
{
	for (uint32_t i = 0; i < target->parts_count; i++) {
		struct part *part = target->parts[i];
		uint64_t end = stripe_part_end(&target->stripe, i, target->used_bytes);
		if (end > part->used_bytes)
			part->used_bytes = end;
		if (target->parts_count > 1)
			part->unit_bytes =
				greatest_common_divisor(target->stripe.unit, part->unit_bytes);
	}
}

int extent_measure(struct load_target *target, const struct phase *phase, struct error *err)
{
	if (check_pieces(target, phase, err) || measure(target, phase, err) ||
	    check_blocks(target, phase, err))
		return -1;
	use_parts(target);
	return 0;
}
