#include "controller/clock_fit.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/random.h"

#define T0   (1000 * NS_PER_S)
#define MANY 2000

static struct clock_sample samples[MANY];

/* An exchange sent at t, `out` ns there, at once answered, `back` ns back, with theta as it is. */
static struct clock_sample exchange(uint64_t t, int64_t theta, uint64_t out, uint64_t back)
{
	return (struct clock_sample){.t1 = t,
				     .t2 = t + out + (uint64_t)theta,
				     .t3 = t + out + (uint64_t)theta,
				     .t4 = t + out + back};
}

/* 20 a second from T0 on, 40 ns there, 60 back. */
static void fill(uint32_t count, int64_t (*theta)(uint64_t t))
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t t = T0 + i * 50 * NS_PER_MS;
		samples[i] = exchange(t, theta(t), 40, 60);
	}
}

static struct clock_fit fit_of(uint32_t count)
{
	struct clock_fit fit;

	clock_fit_init(&fit, samples, count, NULL, 0);
	return fit;
}

/* One exchange: theta(t1) <= 5040, theta(t1 + 100 ns) >= 4940. Elsewhere 500 ppm to each side and
 * half of 0.5 ppm/s times the square of the distance. */
static void one_exchange_says_what_can_be_worked_out_by_hand(void **state)
{
	static const struct {
		int64_t after_ns, lo, hi;
	} rows[] = {
		{0, 4939, 5041}, /* the line may fall 0.05 ns in 100 ns, and rounding is outwards */
		{100, 4939, 5041},
		{1000000, 5000 - 60 - 500, 5000 + 40 + 501},
		{1000000000, 5000 - 60 - 500250, 5000 + 40 + 500251},
		{-1000000000, 5000 - 60 - 500251, 5000 + 40 + 500251},
	};

	(void)state;
	samples[0] = exchange(T0, 5000, 40, 60);
	struct clock_fit fit = fit_of(1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t t = T0 + (uint64_t)rows[i].after_ns;
		struct clock_estimate e = clock_fit_at(&fit, t);
		print_message("%+" PRId64 " ns: %" PRId64 " to %" PRId64 "\n", rows[i].after_ns,
			      e.lo_ns, e.hi_ns);
		assert_true(e.known && !e.disrupted);
		assert_int_equal(e.lo_ns, rows[i].lo);
		assert_int_equal(e.hi_ns, rows[i].hi);
	}
	clock_fit_release(&fit);
}

static void errors_of_stamps_widen_the_side_that_they_are_of(void **state)
{
	(void)state;
	samples[0] = exchange(T0, 5000, 40, 60);
	samples[0].upper_error_ns = 700;
	samples[0].lower_error_ns = 90;
	struct clock_fit fit = fit_of(1);
	struct clock_estimate e = clock_fit_at(&fit, T0);
	assert_int_equal(e.lo_ns, 4939 - 90);
	assert_int_equal(e.hi_ns, 5041 + 700);
	assert_int_equal(e.offset_ns, (4939 - 90 + 5041 + 700) / 2);
	assert_int_equal(clock_estimate_bound(&e), (5041 + 700 - 4939 + 90) / 2);
	clock_fit_release(&fit);
}

/* Two exchanges 10 s apart pin the slope to +-100 ns in 10 s, and what it may have changed. */
static void two_exchanges_limit_the_drift(void **state)
{
	(void)state;
	samples[0] = exchange(T0, 0, 40, 60);
	samples[1] = exchange(T0 + 10 * NS_PER_S, 1230000, 40, 60);
	struct clock_fit fit = fit_of(2);
	struct clock_estimate e = clock_fit_at(&fit, T0 + 5 * NS_PER_S);
	int64_t width = 10 + 2; /* ppb; at the middle the wander of both ends cancels or adds */
	int64_t wander = 500 * 5 / 2;
	assert_true(e.known);
	assert_true(e.drift_lo_ppb >= 123000 - width - wander && e.drift_lo_ppb < 123000);
	assert_true(e.drift_hi_ppb <= 123000 + width + wander && e.drift_hi_ppb > 123000);
	assert_true(e.lo_ns <= 615000 && e.hi_ns >= 615000);
	assert_true(e.hi_ns - e.lo_ns <= 100 + 2 * (6250 + 1));
	clock_fit_release(&fit);
}

static int64_t ahead_by_far(uint64_t t)
{
	return INT64_C(10000000000000000) + (int64_t)((t - T0) / 10000);
}

static int64_t behind_by_far(uint64_t t)
{
	return INT64_C(-999000000000) - (int64_t)((t - T0) / 5000);
}

static void an_exact_line_is_found_wherever_it_lies(void **state)
{
	static int64_t (*const thetas[])(uint64_t t) = {ahead_by_far, behind_by_far};
	static const int64_t drift_ppb[] = {100000, -200000};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		fill(1200, thetas[i]);
		struct clock_fit fit = fit_of(1200);
		assert_int_equal(fit.cuts_count, 0);
		for (uint64_t t = T0; t <= samples[1199].t1; t += 7 * NS_PER_MS) {
			struct clock_estimate e = clock_fit_at(&fit, t);
			assert_true(e.known && !e.disrupted);
			assert_true(e.lo_ns <= thetas[i](t) && thetas[i](t) <= e.hi_ns);
			assert_true(e.drift_lo_ppb <= drift_ppb[i]);
			assert_true(e.drift_hi_ppb >= drift_ppb[i]);
			/* An exchange's own bound is 50 ns. */
			assert_true(clock_estimate_bound(&e) <= 53);
		}
		clock_fit_release(&fit);
	}
}

static void nothing_is_said_far_from_samples(void **state)
{
	static const struct {
		int64_t after_first_ns;
		bool known;
	} rows[] = {
		{-2000000000, true},     {-2000000001, false}, {0, true},
		{61950000100, true},     {61950000101, false}, {1000000000000, false},
		{-1000000000000, false},
	};

	(void)state;
	fill(1200, ahead_by_far);
	struct clock_fit fit = fit_of(1200);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(clock_fit_at(&fit, T0 + (uint64_t)rows[i].after_first_ns).known,
				 rows[i].known);
	clock_fit_release(&fit);
}

static void without_samples_nothing_is_known(void **state)
{
	const struct clock_cut cut = {5, 7, 0};
	struct clock_fit fit;
	uint64_t a, b, c;
	bool disrupted;

	(void)state;
	clock_fit_init(&fit, NULL, 0, &cut, 1);
	assert_int_equal(fit.cuts_count, 1);
	assert_false(clock_fit_at(&fit, 6).known);
	assert_false(clock_fit_at(&fit, T0).known);
	assert_false(clock_fit_invert(&fit, T0, T0, &a, &b, &disrupted));
	clock_fit_release(&fit);
	assert_false(clock_fit_ahead(NULL, 0, T0, T0).known);
	assert_false(clock_fit_round_trips(NULL, 0, &a, &b, &c));
}

/* In a hole of the exchange the bound grows by the wander; beyond the window nothing is left. */
static void a_hole_widens_the_bound(void **state)
{
	(void)state;
	fill(200, behind_by_far);
	for (uint32_t i = 100; i < 200; i++)
		samples[i] =
			exchange(T0 + 60 * NS_PER_S + i * 50 * NS_PER_MS,
				 behind_by_far(T0 + 60 * NS_PER_S + i * 50 * NS_PER_MS), 40, 60);
	struct clock_fit fit = fit_of(200);
	uint64_t before = 0;
	for (uint64_t t = T0 + 6 * NS_PER_S; t < T0 + 23 * NS_PER_S; t += NS_PER_S) {
		struct clock_estimate e = clock_fit_at(&fit, t);
		assert_true(e.known && e.lo_ns <= behind_by_far(t) && behind_by_far(t) <= e.hi_ns);
		assert_true(clock_estimate_bound(&e) > before);
		before = clock_estimate_bound(&e);
	}
	assert_false(clock_fit_at(&fit, T0 + 35 * NS_PER_S).known);
	clock_fit_release(&fit);
}

/* 10 ms at T0 + 10.02 s, which is between two exchanges. */
static int64_t jumping(uint64_t t)
{
	return ahead_by_far(t) + (t > T0 + 10020 * NS_PER_MS ? 10000000 : 0);
}

static void an_infeasible_pair_is_a_step(void **state)
{
	(void)state;
	samples[0] = exchange(T0, 0, 40, 60);
	samples[1] = exchange(T0 + NS_PER_S, 10000000, 40, 60);
	struct clock_fit fit = fit_of(2);
	assert_int_equal(fit.cuts_count, 1);
	assert_int_equal(fit.cuts[0].before_ns, T0);
	assert_int_equal(fit.cuts[0].after_ns, T0 + NS_PER_S + 100);
	/* What contradicts is that of t2 of the first, which is before, and that of t3 of the
	 * second, which is after; the step may lie within either exchange, and half of one says
	 * nothing. */
	assert_false(clock_fit_at(&fit, T0).known);
	assert_false(clock_fit_at(&fit, T0 + 2 * NS_PER_S).known);
	clock_fit_release(&fit);
}

static void a_step_is_cut_out_between_the_exchanges_around_it(void **state)
{
	(void)state;
	fill(400, jumping);
	struct clock_fit fit = fit_of(400);
	assert_int_equal(fit.cuts_count, 1);
	assert_int_equal(fit.cuts[0].before_ns, T0 + 10000 * NS_PER_MS);
	assert_int_equal(fit.cuts[0].after_ns, T0 + 10050 * NS_PER_MS + 100);
	assert_true(llabs(fit.cuts[0].step_ns - 10000000) < 100);
	for (uint64_t t = T0; t < T0 + 20 * NS_PER_S; t += NS_PER_MS) {
		struct clock_estimate e = clock_fit_at(&fit, t);
		bool inside = t > fit.cuts[0].before_ns && t < fit.cuts[0].after_ns;
		assert_true(e.known);
		assert_int_equal(e.disrupted, inside);
		assert_true(e.lo_ns <= jumping(t) && jumping(t) <= e.hi_ns);
		assert_int_equal(clock_estimate_bound(&e) > 5000000, inside);
	}
	clock_fit_release(&fit);
}

/* Fed to one who asks at each instant: the newest sample proves the step, the next one is enough to
 * go on, and what is known of the clock before is not used for after. */
static void a_step_is_noticed_by_the_next_sample(void **state)
{
	(void)state;
	fill(400, jumping);
	/* 200 was sent at T0 + 10 s, 201 is the first after the step. */
	uint64_t now = samples[201].t4;
	assert_true(clock_fit_ahead(samples, 201, samples[200].t4, now).known);
	struct clock_estimate e = clock_fit_ahead(samples, 202, now, now);
	assert_false(e.known);
	assert_true(e.disrupted);
	now = samples[202].t4;
	e = clock_fit_ahead(samples, 203, now, now);
	assert_true(e.known && e.lo_ns <= jumping(now) && jumping(now) <= e.hi_ns);
	assert_true(clock_estimate_bound(&e) < 100000);
}

static void what_is_announced_is_believed(void **state)
{
	const struct clock_cut cuts[] = {
		{T0 + 12 * NS_PER_S, T0 + 13 * NS_PER_S, 0},
		{T0 + 5 * NS_PER_S, T0 + 5 * NS_PER_S + 1, 0},
		{T0 + 12500 * NS_PER_MS, T0 + 14 * NS_PER_S, 0},
	};
	struct clock_fit fit;

	(void)state;
	fill(400, ahead_by_far);
	clock_fit_init(&fit, samples, 400, cuts, 3);
	/* In order, and those that overlap are one. */
	assert_int_equal(fit.cuts_count, 2);
	assert_int_equal(fit.cuts[0].before_ns, T0 + 5 * NS_PER_S);
	assert_int_equal(fit.cuts[0].after_ns, T0 + 5 * NS_PER_S + 1);
	assert_int_equal(fit.cuts[1].before_ns, T0 + 12 * NS_PER_S);
	assert_int_equal(fit.cuts[1].after_ns, T0 + 14 * NS_PER_S);
	assert_int_equal(fit.cuts[0].step_ns, 0);
	assert_false(clock_fit_at(&fit, T0 + 12 * NS_PER_S).disrupted);
	assert_true(clock_fit_at(&fit, T0 + 13500 * NS_PER_MS).disrupted);
	assert_false(clock_fit_at(&fit, T0 + 14 * NS_PER_S).disrupted);
	clock_fit_release(&fit);
}

/* Where it jumps in several(), and how far. */
static struct {
	uint64_t at;
	int64_t ns;
} jumps[3];

static int64_t several(uint64_t t)
{
	int64_t theta = behind_by_far(t);

	for (int i = 0; i < 3; i++)
		theta += t > jumps[i].at ? jumps[i].ns : 0;
	return theta;
}

static void place_jumps(struct random *r, uint64_t apart)
{
	uint64_t at = T0 + NS_PER_S;

	for (int i = 0; i < 3; i++) {
		at += 110 * NS_PER_MS + random_below(r, apart);
		jumps[i].at = at;
		jumps[i].ns = (int64_t)random_below(r, 4000000) - 2000000;
	}
}

/* With two exchanges or more in between; around a single one, two steps look like one within it. */
static void several_steps_are_told_apart(void **state)
{
	static uint64_t instants[4000];
	static struct clock_estimate estimates[4000];
	struct random r = {3};
	uint32_t withheld = 0;

	(void)state;
	for (uint32_t i = 0; i < 4000; i++)
		instants[i] = T0 + i * 5 * NS_PER_MS;
	for (int round = 0; round < 100; round++) {
		place_jumps(&r, round % 2 ? 5 * NS_PER_S : 50 * NS_PER_MS);
		fill(400, several);
		struct clock_fit fit = fit_of(400);
		assert_true(fit.cuts_count >= 1);
		clock_fit_sweep(&fit, instants, 4000, estimates);
		for (uint32_t i = 0; i < 4000; i++) {
			int64_t truth = several(instants[i]);
			withheld += !estimates[i].known;
			if (estimates[i].known)
				assert_in_range(truth - estimates[i].lo_ns, 0,
						estimates[i].hi_ns - estimates[i].lo_ns);
		}
		clock_fit_release(&fit);
	}
	print_message("%u of 400000 instants withheld\n", withheld);
	assert_true(withheld < 4000);
}

/* An exchange under way when it happened says nothing, not even when a later one was quicker. */
static void an_exchange_under_way_at_a_cut_is_of_no_side(void **state)
{
	const struct clock_cut cut = {T0 + 10060 * NS_PER_MS, T0 + 10070 * NS_PER_MS, 0};
	struct clock_fit fit;

	(void)state;
	fill(400, ahead_by_far);
	/* Sent at T0 + 10 s; answered after the jump, and before the one sent 50 ms later. */
	samples[200].t4 += 90 * NS_PER_MS;
	samples[200].t2 += 5 * NS_PER_S;
	samples[200].t3 += 5 * NS_PER_S;
	clock_fit_init(&fit, samples, 400, &cut, 1);
	assert_int_equal(fit.cuts_count, 1);
	assert_int_equal(fit.cuts[0].before_ns, cut.before_ns);
	for (uint64_t t = T0; t < T0 + 20 * NS_PER_S; t += NS_PER_MS) {
		struct clock_estimate e = clock_fit_at(&fit, t);
		assert_true(e.known && e.lo_ns <= ahead_by_far(t) && ahead_by_far(t) <= e.hi_ns);
	}
	clock_fit_release(&fit);
}

/* From afar 10 us there and 200 back, nearby the other way round: alone these would say -10 to 200.
 * Both together leave -10 to 10 and some wander, were there no step too small to be seen. */
static void the_inner_half_of_what_a_few_seconds_allow_is_allowed(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 400; i++) {
		uint64_t t = T0 + i * 50 * NS_PER_MS;
		bool nearby = i > 120 && i < 280;
		samples[i] = exchange(t, 0, nearby ? 200000 : 10000, nearby ? 10000 : 200000);
	}
	struct clock_fit fit = fit_of(400);
	struct clock_estimate e = clock_fit_at(&fit, T0 + 10 * NS_PER_S);
	assert_int_equal(fit.cuts_count, 0);
	assert_true(e.lo_ns <= -9900 && e.lo_ns >= -12000);
	assert_true(e.hi_ns >= 140000 && e.hi_ns <= 150000);
	clock_fit_release(&fit);
}

/* 40 ms each second second: no clock to go by. */
static int64_t mad(uint64_t t)
{
	return (t - T0) / NS_PER_S % 4 < 2 ? 0 : 40000000;
}

static void a_clock_that_keeps_jumping_is_unfit(void **state)
{
	(void)state;
	fill(MANY, mad);
	struct clock_fit fit = fit_of(MANY);
	assert_true(fit.unfit);
	assert_true(fit.cuts_count >= 8 && fit.cuts_count < 30);
	assert_false(clock_fit_at(&fit, samples[MANY - 1].t1).known);
	assert_true(clock_fit_at(&fit, T0).known);
	clock_fit_release(&fit);
}

static void many_instants_at_once_are_each_by_itself(void **state)
{
	static uint64_t instants[3000];
	static struct clock_estimate estimates[3000];

	(void)state;
	fill(400, jumping);
	for (uint32_t i = 0; i < 3000; i++)
		/* In order first, then not. */
		instants[i] = T0 + (i < 2000 ? i : i * 7919 % 3000) * 10 * NS_PER_MS;
	struct clock_fit fit = fit_of(400);
	clock_fit_sweep(&fit, instants, 3000, estimates);
	for (uint32_t i = 0; i < 3000; i++) {
		struct clock_estimate e = clock_fit_at(&fit, instants[i]);
		assert_int_equal(e.known, estimates[i].known);
		assert_int_equal(e.disrupted, estimates[i].disrupted);
		/* Found from another side; a ns or ppb may be rounded differently. */
		assert_true(llabs(e.lo_ns - estimates[i].lo_ns) <= 1);
		assert_true(llabs(e.hi_ns - estimates[i].hi_ns) <= 1);
		assert_true(llabs(e.drift_lo_ppb - estimates[i].drift_lo_ppb) <= 1);
		assert_true(llabs(e.drift_hi_ppb - estimates[i].drift_hi_ppb) <= 1);
	}
	clock_fit_release(&fit);
}

static void looking_ahead_uses_what_has_come_back(void **state)
{
	(void)state;
	fill(400, ahead_by_far);
	/* The last hundred would say something else. */
	for (uint32_t i = 300; i < 400; i++)
		samples[i].t2 = samples[i].t3 = 1;
	uint64_t now = samples[299].t4;
	struct clock_estimate e = clock_fit_ahead(samples, 400, now, now);
	uint64_t before = 0;
	assert_true(e.known && e.lo_ns <= ahead_by_far(now) && ahead_by_far(now) <= e.hi_ns);
	for (uint64_t t = now; t < now + 10 * NS_PER_S; t += NS_PER_S) {
		e = clock_fit_ahead(samples, 400, now, t);
		assert_true(e.known && e.lo_ns <= ahead_by_far(t) && ahead_by_far(t) <= e.hi_ns);
		assert_true(clock_estimate_bound(&e) > before);
		before = clock_estimate_bound(&e);
	}
	/* All are too old. */
	assert_false(clock_fit_ahead(samples, 300, now + 21 * NS_PER_S, now + 21 * NS_PER_S).known);
}

static void an_agent_s_instant_is_found_again(void **state)
{
	struct random r = {1};

	(void)state;
	fill(400, jumping);
	struct clock_fit fit = fit_of(400);
	for (int i = 0; i < 2000; i++) {
		uint64_t truth = T0 + random_below(&r, 20 * NS_PER_S), found, bound;
		uint64_t near = truth + random_below(&r, 20 * NS_PER_S) - 10 * NS_PER_S;
		bool disrupted;
		assert_true(clock_fit_invert(&fit, truth + (uint64_t)jumping(truth), near, &found,
					     &bound, &disrupted));
		assert_true(llabs((int64_t)(found - truth)) <= (int64_t)bound);
		assert_true(disrupted || bound < 200);
	}
	clock_fit_release(&fit);
}

static void round_trips_leave_out_what_the_agent_held(void **state)
{
	uint64_t min, median, p99;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		samples[i] = exchange(T0 + i * NS_PER_S, 5, 100 * (i + 1), 0);
		/* Holding 1 ms by a clock that may be 500 ppm fast: 500 ns are not counted as held.
		 */
		samples[i].t3 += 1000000;
		samples[i].t4 += 1000000;
	}
	assert_true(clock_fit_round_trips(samples, 100, &min, &median, &p99));
	assert_int_equal(min, 100 + 500);
	assert_int_equal(median, 5000 + 500);
	assert_int_equal(p99, 9900 + 500);
	/* A negative one, which a fast clock can make, is none. */
	samples[0].t3 += 2000000;
	assert_true(clock_fit_round_trips(samples, 1, &min, &median, &p99));
	assert_int_equal(min, 0);
}

/* Not even lies may do harm. */
static void any_stamps_can_be_fitted(void **state)
{
	struct random r = {7};

	(void)state;
	for (int round = 0; round < 50; round++) {
		uint64_t t = random_next(&r), shift = random_below(&r, 64);
		for (uint32_t i = 0; i < 60; i++) {
			uint64_t step = random_next(&r) >> shift;
			t = t > UINT64_MAX - step ? UINT64_MAX : t + step;
			samples[i] = (struct clock_sample){
				.t1 = t,
				.t2 = random_next(&r),
				.t3 = random_next(&r),
				.t4 = t + random_below(&r, UINT64_MAX - t + (t == 0 ? 0 : 1)),
				.upper_error_ns = (uint32_t)random_next(&r)};
		}
		struct clock_fit fit = fit_of(60);
		for (uint32_t i = 0; i < 60; i++) {
			struct clock_estimate e = clock_fit_at(&fit, samples[i].t1);
			assert_true(!e.known || e.lo_ns <= e.hi_ns);
			e = clock_fit_ahead(samples, 60, samples[i].t4, random_next(&r));
			assert_true(!e.known || e.lo_ns <= e.hi_ns);
		}
		clock_fit_release(&fit);
	}
}

static int64_t drifting(uint64_t t)
{
	return (int64_t)((t - T0) / 20000) - (int64_t)((t / 1000003) % 7);
}

/* A phase is fitted with what was exchanged from two windows before it on (host_clock.h). */
static void what_was_exchanged_two_windows_earlier_changes_nothing(void **state)
{
	const uint32_t from = 1000,
		       skipped = from - 2 * (uint32_t)(CLOCK_FIT_WINDOW_NS / NS_PER_S) * 20;
	struct clock_fit all, tail;

	(void)state;
	fill(MANY, drifting);
	clock_fit_init(&all, samples, MANY, NULL, 0);
	clock_fit_init(&tail, samples + skipped, MANY - skipped, NULL, 0);
	for (uint32_t i = from; i < MANY; i += 3) {
		struct clock_estimate a = clock_fit_at(&all, samples[i].t1 + 7);
		struct clock_estimate b = clock_fit_at(&tail, samples[i].t1 + 7);
		assert_true(a.known && b.known);
		assert_int_equal(a.lo_ns, b.lo_ns);
		assert_int_equal(a.hi_ns, b.hi_ns);
		assert_int_equal(a.drift_ppb, b.drift_ppb);
	}
	clock_fit_release(&all);
	clock_fit_release(&tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_exchange_says_what_can_be_worked_out_by_hand),
		cmocka_unit_test(errors_of_stamps_widen_the_side_that_they_are_of),
		cmocka_unit_test(two_exchanges_limit_the_drift),
		cmocka_unit_test(an_exact_line_is_found_wherever_it_lies),
		cmocka_unit_test(nothing_is_said_far_from_samples),
		cmocka_unit_test(without_samples_nothing_is_known),
		cmocka_unit_test(a_hole_widens_the_bound),
		cmocka_unit_test(an_infeasible_pair_is_a_step),
		cmocka_unit_test(a_step_is_cut_out_between_the_exchanges_around_it),
		cmocka_unit_test(a_step_is_noticed_by_the_next_sample),
		cmocka_unit_test(what_is_announced_is_believed),
		cmocka_unit_test(several_steps_are_told_apart),
		cmocka_unit_test(an_exchange_under_way_at_a_cut_is_of_no_side),
		cmocka_unit_test(the_inner_half_of_what_a_few_seconds_allow_is_allowed),
		cmocka_unit_test(a_clock_that_keeps_jumping_is_unfit),
		cmocka_unit_test(many_instants_at_once_are_each_by_itself),
		cmocka_unit_test(looking_ahead_uses_what_has_come_back),
		cmocka_unit_test(an_agent_s_instant_is_found_again),
		cmocka_unit_test(round_trips_leave_out_what_the_agent_held),
		cmocka_unit_test(any_stamps_can_be_fitted),
		cmocka_unit_test(what_was_exchanged_two_windows_earlier_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
