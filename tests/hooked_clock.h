/* hooked_clock.h - a clock that runs wrong on purpose, as a function of a true one: its truth is
 * known to the ns. */
#ifndef MUSTER_TESTS_HOOKED_CLOCK_H
#define MUSTER_TESTS_HOOKED_CLOCK_H

#include <stdint.h>

struct hooked_clock {
	uint64_t begin_ns;   /* true clock: up to here both show the same */
	int64_t drift_ppb;   /* from then on */
	uint64_t step_at_ns; /* true clock: from here on it is step_ns ahead; UINT64_MAX: never */
	int64_t step_ns;
};

/* n * ppb / 10^9, rounded towards minus infinity. */
static inline int64_t hooked_part(int64_t n, int64_t ppb)
{
	__extension__ typedef __int128 wide;
	wide product = (wide)n * ppb, whole = product / 1000000000;

	return (int64_t)(whole - (product % 1000000000 < 0));
}

static inline uint64_t hooked_drifted(const struct hooked_clock *c, uint64_t true_ns)
{
	return true_ns + (uint64_t)hooked_part((int64_t)(true_ns - c->begin_ns), c->drift_ppb);
}

/* What it shows at `true_ns`. */
static inline uint64_t hooked_shows(const struct hooked_clock *c, uint64_t true_ns)
{
	uint64_t shown = hooked_drifted(c, true_ns);

	return true_ns < c->step_at_ns ? shown : shown + (uint64_t)c->step_ns;
}

/* The first true instant at which drift alone shows `shown_ns` or more. */
static inline uint64_t hooked_undrifted(const struct hooked_clock *c, uint64_t shown_ns)
{
	__extension__ typedef __int128 wide;
	wide since = (wide)(int64_t)(shown_ns - c->begin_ns);
	uint64_t at =
		c->begin_ns + (uint64_t)(int64_t)(since * 1000000000 / (1000000000 + c->drift_ppb));

	while (hooked_drifted(c, at) >= shown_ns)
		at--;
	while (hooked_drifted(c, at) < shown_ns)
		at++;
	return at;
}

/* The first true instant, from `now_ns` on, at which it shows `shown_ns` or more. */
static inline uint64_t hooked_when(const struct hooked_clock *c, uint64_t shown_ns, uint64_t now_ns)
{
	uint64_t before = hooked_undrifted(c, shown_ns);

	if (hooked_shows(c, now_ns) >= shown_ns)
		return now_ns;
	if (now_ns < c->step_at_ns && before < c->step_at_ns)
		return before;
	uint64_t after = hooked_undrifted(c, shown_ns - (uint64_t)c->step_ns);
	return after > c->step_at_ns ? after : c->step_at_ns;
}

#endif
