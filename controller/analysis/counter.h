/* counter.h - by how much a kernel's counter grew.
 *
 * Some counters begin again at 2^32 on systems where everything else has 64 bits (Linux's times in
 * /proc/diskstats). One that went down is taken for such a one when it stood below 2^32 and would
 * have grown by less than half of that; anything else that went down is no difference at all (a
 * device that was replaced, a reset). */
#ifndef MUSTER_CONTROLLER_ANALYSIS_COUNTER_H
#define MUSTER_CONTROLLER_ANALYSIS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* False, and the difference is 0: it ran backwards. */
static inline bool counter_difference(uint64_t before, uint64_t after, uint64_t *difference,
				      bool *wrapped)
{
	const uint64_t whole = UINT64_C(1) << 32;

	*wrapped = after < before && before < whole && after + whole - before < whole / 2;
	if (after < before && !*wrapped) {
		*difference = 0;
		return false;
	}
	*difference = *wrapped ? after + whole - before : after - before;
	return true;
}

#endif
