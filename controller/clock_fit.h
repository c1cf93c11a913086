/* clock_fit.h - what recorded exchanges prove about an agent's clock, and nothing more.
 *
 * theta(t) = agent's clock - controller's at the controller's instant t. Each exchange gives two
 * facts: at t1, theta <= t2 - t1 + upper_error; at t4, theta >= t3 - t4 - lower_error. Within a
 * segment |theta'| <= 500 ppm and |theta''| <= 0.5 ppm/s. From that follow, for any t, the smallest
 * and largest theta and theta' that are feasible: a linear program in two variables, solved on the
 * hulls of both point sets. Lines that fit nothing prove a step; the samples are cut there
 * (Zhang, Liu, Xia 2002) and no line spans a cut. Pure functions of the samples: fitted again
 * later, the same comes out. CLOCK_FIT_VERSION names the rules. */
#ifndef MUSTER_CONTROLLER_CLOCK_FIT_H
#define MUSTER_CONTROLLER_CLOCK_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_FIT_VERSION          1
#define CLOCK_FIT_DRIFT_PPB        500000                /* rho */
#define CLOCK_FIT_WANDER_PPB_PER_S 500                   /* gamma */
#define CLOCK_FIT_WINDOW_NS        UINT64_C(20000000000) /* to each side, or back when causal */

/* Where an exchange's stamps were taken; the errors below already contain what that costs. */
enum clock_stamp { CLOCK_STAMP_ZEROMQ, CLOCK_STAMP_USER, CLOCK_STAMP_KERNEL };

struct clock_sample {
	uint64_t t1, t4;                         /* controller's clock: sent, received */
	uint64_t t2, t3;                         /* agent's clock: received, answered */
	uint32_t upper_error_ns, lower_error_ns; /* of reading and converting the stamps */
	enum clock_stamp stamp;
};

struct clock_estimate {
	bool known;     /* false: nothing can be said (no samples near, or only disrupted ones) */
	bool disrupted; /* t lies in the gap around a step: lo and hi span both sides */
	int64_t offset_ns; /* (lo + hi) / 2 */
	int64_t lo_ns, hi_ns;
	int64_t drift_ppb, drift_lo_ppb, drift_hi_ppb;
};
/* Half-width: the bound that reports state. */
static inline uint64_t clock_estimate_bound(const struct clock_estimate *e)
{
	return ((uint64_t)e->hi_ns - (uint64_t)e->lo_ns + 1) / 2;
}

/* An agent said so itself, or the samples prove it: nothing before says anything about after. */
struct clock_cut {
	uint64_t before_ns,
		after_ns; /* controller's clock: last and first instant that are whole */
	int64_t step_ns;  /* how much the clock jumped; 0: it did not as far as can be told */
};

/* The samples of one agent in order of t1, cut into segments. Lends the samples. */
struct clock_fit {
	const struct clock_sample *samples;
	uint32_t count;
	struct clock_cut *cuts;
	uint32_t cuts_count;
	bool unfit; /* it jumps so often that nothing is said from the last cut on */
	/* Its own: between the cuts, one more than they. */
	struct clock_segment *segments;
	struct clock_blocks *blocks;
};

/* Finds the cuts: those announced (may be none) and those that the samples prove. */
void clock_fit_init(struct clock_fit *fit, const struct clock_sample *samples, uint32_t count,
		    const struct clock_cut *announced, uint32_t announced_count);
void clock_fit_release(struct clock_fit *fit);

/* From all samples within CLOCK_FIT_WINDOW_NS of t on both sides; unknown more than 2 s outside the
 * samples. */
struct clock_estimate clock_fit_at(const struct clock_fit *fit, uint64_t t);

/* The same for many instants, and cheap where they grow: those of a second share the work. */
void clock_fit_sweep(const struct clock_fit *fit, const uint64_t *instants, uint32_t count,
		     struct clock_estimate *estimates);

/* While running: from the samples up to `now` (at most CLOCK_FIT_WINDOW_NS old), for an instant `t`
 * at or somewhat after it; the bound grows with the distance as the assumptions say. A step that
 * the latest samples prove cuts at once; then it is unknown (and disrupted) until an exchange has
 * come back that is whole. Of a step that was announced, give it only what was sent after. */
struct clock_estimate clock_fit_ahead(const struct clock_sample *samples, uint32_t count,
				      uint64_t now, uint64_t t);

/* The controller's instant at which the agent's clock showed `agent_ns`, and its bound; false:
 * unknown. `near` is a controller's instant close to it (within a minute). */
bool clock_fit_invert(const struct clock_fit *fit, uint64_t agent_ns, uint64_t near,
		      uint64_t *controller_ns, uint64_t *bound_ns, bool *disrupted);

/* Round trips in ns without the agent's holding time: min, median, p99. False without samples. */
bool clock_fit_round_trips(const struct clock_sample *samples, uint32_t count, uint64_t *min,
			   uint64_t *median, uint64_t *p99);

#endif
