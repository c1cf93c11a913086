#include "agent/direct.h"

#include <stdio.h>

#include "common/units.h"

/* "8KiB", or "4KiB or 8KiB": what is legal next to `bytes`. */
static void nearest(char text[2 * UNITS_TEXT_SIZE + 8], uint64_t bytes, uint64_t alignment)
{
	char below[UNITS_TEXT_SIZE], above[UNITS_TEXT_SIZE];
	uint64_t low = bytes / alignment * alignment;

	units_format_exact(below, low);
	units_format_exact(above, low + alignment);
	if (low)
		snprintf(text, 2 * UNITS_TEXT_SIZE + 8, "%s or %s", below, above);
	else
		snprintf(text, 2 * UNITS_TEXT_SIZE + 8, "%s", above);
}

static bool is_misaligned(const struct part *part, const char *what, uint64_t bytes, char *reason,
			  size_t size)
{
	uint64_t alignment = part->storage.alignment_bytes;
	char near[2 * UNITS_TEXT_SIZE + 8];

	if (alignment < 2 || bytes % alignment == 0)
		return false;
	nearest(near, bytes, alignment);
	snprintf(reason, size,
		 "'%s' needs offsets and lengths that are multiples of %llu bytes, and %s is %llu "
		 "bytes: the nearest legal %s is %s",
		 part->path, (unsigned long long)alignment, what, (unsigned long long)bytes, what,
		 near);
	return true;
}

static bool is_impossible(const struct part *part, const struct phase *phase, char *reason,
			  size_t size)
{
	if (part->storage.direct == PLATFORM_DIRECT_NO) {
		snprintf(reason, size, "direct I/O is not possible on '%s': %s", part->path,
			 part->storage.direct_reason);
		return true;
	}
	for (uint32_t i = 0; i < phase->block_mix_count; i++)
		if (is_misaligned(part, "block_size", phase->block_mix[i].size, reason, size))
			return true;
	return is_misaligned(part, "block_size", phase->block_size, reason, size) ||
	       (part->unit_bytes &&
		is_misaligned(part, "stripe_unit", part->unit_bytes, reason, size));
}

void direct_fall_back(struct part *part, const struct part_context *context, const char *reason)
{
	part->io = TARGET_IO_BUFFERED;
	part_note(context, "target '%s' is buffered, not direct: %s", part->target->name, reason);
}

int direct_decide(struct part *part, const struct part_context *context, struct error *err)
{
	char reason[768];

	part->io = TARGET_IO_BUFFERED;
	if (context->phase->direct == PHASE_DIRECT_FALSE || context->phase->op == PHASE_OP_IDLE)
		return 0;
	if (!is_impossible(part, context->phase, reason, sizeof(reason))) {
		part->io = part->storage.direct == PLATFORM_DIRECT_WRITTEN_THROUGH
				   ? TARGET_IO_WRITTEN_THROUGH
				   : TARGET_IO_DIRECT;
		return 0;
	}
	if (context->phase->direct == PHASE_DIRECT_PREFER) {
		direct_fall_back(part, context, reason);
		return 0;
	}
	error_set(err, ERROR_REFUSED,
		  "target '%s': %s; 'direct: prefer' goes on buffered and marks the result, "
		  "'direct: false' asks for buffered I/O",
		  part->target->name, reason);
	error_code(err, part->storage.direct == PLATFORM_DIRECT_NO ? "DIRECT_REFUSED"
								   : "BLOCK_NOT_MULTIPLE_OF_LBA");
	return -1;
}
