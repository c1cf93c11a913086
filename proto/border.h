/* border.h - where the buckets of a phase begin on an agent's clock: one formula for both sides.
 *
 * From an anchor (bucket `from` begins at `at_ns`) bucket k begins at
 * at_ns + n + n * drift_ppb / 10^9 with n = (k - from) * width_ns, rounded towards minus infinity.
 * Buckets are at least 1 ms wide and |drift| is far below 10^9 ppb, so borders grow strictly. */
#ifndef MUSTER_PROTO_BORDER_H
#define MUSTER_PROTO_BORDER_H

#include <stdint.h>

struct border {
	uint32_t from;
	uint64_t at_ns;
	int64_t drift_ppb;
};

/* When `n_ns` of the controller's clock after the anchor have passed on the agent's. */
static inline uint64_t border_after(const struct border *border, uint64_t n_ns)
{
	__extension__ typedef __int128 wide;
	wide drift = (wide)n_ns * border->drift_ppb;
	wide whole = drift / 1000000000;

	if (drift % 1000000000 < 0)
		whole--;
	return border->at_ns + n_ns + (uint64_t)(int64_t)whole;
}

static inline uint64_t border_of(const struct border *border, uint32_t bucket, uint64_t width_ns)
{
	return border_after(border, (uint64_t)(bucket - border->from) * width_ns);
}

#endif
